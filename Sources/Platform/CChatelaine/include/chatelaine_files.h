#ifndef CHATELAINE_FILES_H
#define CHATELAINE_FILES_H

#include <stdint.h>
#include <sys/stat.h>

/* Opens for looking only (O_PATH, close-on-exec); the last component is followed when it is a link if `follow`. */
int chatelaine_open_path(int folder, const char *path, int follow);
/* What the kernel remembers of the file behind `descriptor`, which nobody is asked for: statx(2) with AT_STATX_DONT_SYNC. A file
   system that is a program, or another machine, can take as long as it likes for an answer to fstat(2). */
int chatelaine_known_status(int descriptor, struct stat *status);
/* The magic number of the file system that holds `descriptor`: fstatfs(2). */
int chatelaine_file_system(int descriptor, uint64_t *magic);
/* 1 if an access control list besides the mode bits governs `descriptor`, an O_PATH one included; 0 if none. */
int chatelaine_has_access_list(int descriptor);
/* A close-on-exec descriptor that becomes readable when a name in `folder`, or `folder` itself, is taken away:
   inotify(7). */
int chatelaine_watch_removals(const char *folder);
/* Opens what is closed of 0, 1 and 2, so that nothing opened later gets these numbers. Reading the first and writing the
   others fails with EBADF all the same, as on a closed one. -1 where /dev/null cannot be opened. */
int chatelaine_reserve_standard_descriptors(void);
/* The descriptor, or where it is 0, 1 or 2 another one in its place, close-on-exec; -1 stays -1. For code in programs of
   others, which may have closed these numbers and write to them all the same. */
int chatelaine_above_standard(int descriptor);

#endif
