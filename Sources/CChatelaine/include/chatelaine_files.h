#ifndef CHATELAINE_FILES_H
#define CHATELAINE_FILES_H

#include <stdint.h>

/* Opens for looking only (O_PATH, close-on-exec); the last component is followed when it is a link if `follow`. */
int chatelaine_open_path(int folder, const char *path, int follow);
/* The magic number of the file system that holds `descriptor`: fstatfs(2). */
int chatelaine_file_system(int descriptor, uint64_t *magic);
/* 1 if an access control list besides the mode bits governs `descriptor`, an O_PATH one included; 0 if none. */
int chatelaine_has_access_list(int descriptor);
/* A close-on-exec descriptor that becomes readable when a name in `folder`, or `folder` itself, is taken away:
   inotify(7). */
int chatelaine_watch_removals(const char *folder);

#endif
