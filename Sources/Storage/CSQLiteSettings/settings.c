#include "chatelaine_sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int chatelaine_sqlite_switch(struct sqlite3 *connection, int option, int on) {
    int stands = !on;
    int code = sqlite3_db_config(connection, option, on, &stands);
    if (code != SQLITE_OK) return code;
    return stands == on ? SQLITE_OK : SQLITE_ERROR;
}

static int open_carefully(const char *path, int flags, int mode) {
    int file = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode);
    if (file < 0) return file;
    struct stat status;
    if (fstat(file, &status) == 0) {
        if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) return file;
        /* The source of SQLite's random numbers. */
        if (S_ISCHR(status.st_mode) && strcmp(path, "/dev/urandom") == 0) return file;
    }
    (void)close(file);
    errno = EINVAL;
    return -1;
}

int chatelaine_sqlite_open_carefully(void) {
    sqlite3_vfs *files = sqlite3_vfs_find("unix");
    if (!files || files->iVersion < 3) return SQLITE_ERROR;
    return files->xSetSystemCall(files, "open", (sqlite3_syscall_ptr)open_carefully);
}
