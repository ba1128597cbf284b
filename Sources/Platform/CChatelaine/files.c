#define _GNU_SOURCE
#include "chatelaine_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

int chatelaine_open_path(int folder, const char *path, int follow) {
    return openat(folder, path, O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
}

int chatelaine_known_status(int descriptor, struct stat *status) {
    struct statx known;
    if (statx(descriptor, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &known) != 0) return -1;
    memset(status, 0, sizeof *status);
    status->st_dev = makedev(known.stx_dev_major, known.stx_dev_minor);
    status->st_ino = known.stx_ino;
    status->st_mode = known.stx_mode;
    status->st_nlink = known.stx_nlink;
    status->st_uid = known.stx_uid;
    status->st_gid = known.stx_gid;
    status->st_size = (off_t)known.stx_size;
    status->st_mtim = (struct timespec){known.stx_mtime.tv_sec, known.stx_mtime.tv_nsec};
    status->st_ctim = (struct timespec){known.stx_ctime.tv_sec, known.stx_ctime.tv_nsec};
    return 0;
}

int chatelaine_file_system(int descriptor, uint64_t *magic) {
    struct statfs status;
    if (fstatfs(descriptor, &status) != 0) return -1;
    /* f_type is a signed word on some machines: CIFS and SMB2 have their top bit set. */
    *magic = (uint32_t)status.f_type;
    return 0;
}

int chatelaine_has_access_list(int descriptor) {
    static const char *const names[] = {
        "system.posix_acl_access", "system.nfs4_acl", "system.nfs4_acl_xdr", "system.richacl"};
    char path[32];
    /* fgetxattr refuses O_PATH descriptors; the link in /proc leads to the same inode. */
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    for (unsigned index = 0; index < sizeof names / sizeof names[0]; index++) {
        if (getxattr(path, names[index], NULL, 0) >= 0) return 1;
        if (errno != ENODATA && errno != EOPNOTSUPP) return -1;
    }
    return 0;
}

int chatelaine_watch_removals(const char *folder) {
    int watch = inotify_init1(IN_CLOEXEC);
    if (watch < 0) return -1;
    if (inotify_add_watch(
            watch, folder,
            IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR) < 0) {
        int error = errno;
        (void)close(watch);
        errno = error;
        return -1;
    }
    return watch;
}

int chatelaine_reserve_standard_descriptors(void) {
    for (int standard = STDIN_FILENO; standard <= STDERR_FILENO; standard++) {
        if (fcntl(standard, F_GETFD) >= 0) continue;
        int null = open("/dev/null", standard == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        /* open(2) gives the lowest free number, and the lower ones are open by now. */
        if (null < 0) return -1;
    }
    return 0;
}

int chatelaine_above_standard(int descriptor) {
    if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
    int above = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    (void)close(descriptor);
    errno = error;
    return above;
}
