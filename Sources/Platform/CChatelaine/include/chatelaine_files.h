#ifndef CHATELAINE_FILES_H
#define CHATELAINE_FILES_H

#include <stdint.h>
#include <sys/stat.h>

/* Opens a file for its status only (O_PATH, close-on-exec); follows a link as the last component if `follow`. */
int chatelaine_open_path(int folder, const char *path, int follow);
/* The status of a file that the kernel has in memory, without asking the file system: statx(2) with AT_STATX_DONT_SYNC.
   A file system that is a program, or on another machine, may take as long as it likes to answer fstat(2). */
int chatelaine_known_status(int descriptor, struct stat *status);
/* The magic number of the file system that holds `descriptor`: fstatfs(2). */
int chatelaine_file_system(int descriptor, uint64_t *magic);
/* 1 if an access control list besides the mode bits governs `descriptor`, even one opened with O_PATH; 0 if none does.
   */
int chatelaine_has_access_list(int descriptor);
/* A close-on-exec descriptor that becomes readable when a name in `folder`, or `folder` itself, is removed: inotify(7).
   */
int chatelaine_watch_removals(const char *folder);
/* Opens those of 0, 1 and 2 that are closed, so that no later descriptor gets these numbers. Reading the first and
   writing the others still fails with EBADF, as on a closed one. -1 where /dev/null cannot be opened. */
int chatelaine_reserve_standard_descriptors(void);
/* Returns the descriptor; a descriptor 0, 1 or 2 is replaced by a higher close-on-exec one. -1 stays -1. For code in
   others' programs, which may have closed these numbers and still write to them. */
int chatelaine_above_standard(int descriptor);

#endif
