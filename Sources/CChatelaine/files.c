#define _GNU_SOURCE
#include "chatelaine_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

int chatelaine_open_path(int folder, const char *path, int follow) {
    return openat(folder, path, O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
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
