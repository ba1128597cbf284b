#include "state.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Exports a function; the names are those of the C library. */
#define SEAM __attribute__((visibility("default"), used))

/* Makes a call by its number, or fails as the seam orders. */
#define PASS(kind, is_counted, name, path, descriptor, ...)                            \
    do {                                                                               \
        int manner = (is_counted) ? seam_enter(kind, name, path, descriptor) : SEAM_NONE;   \
        if (manner == SEAM_INSTEAD) return (int)seam_failed();                              \
        long result = syscall(__VA_ARGS__);                                            \
        if (manner == SEAM_AFTERWARDS) return (int)seam_failed();                           \
        return (int)result;                                                            \
    } while (0)

/* ---- Opening and closing ---- */

static void adopt(int descriptor, int folder, const char *path, int flags, int is_counted) {
    if (!is_counted || descriptor < 0 || descriptor >= most_descriptors) return;
    seam.serials[descriptor] = ++seam.last_serial;
    seam.open_count++;
    seam_journal_paths(SEAM_DID_OPEN, seam.last_serial, path, path[0] == '/' ? 0 : seam_serial(folder), NULL, flags);
}

static int open_at(int folder, const char *path, int flags, mode_t mode) {
    int is_counted = seam_is_ours(folder, path);
    int manner = is_counted ? seam_enter(SEAM_OPEN, "open", path, -1) : SEAM_NONE;
    if (manner == SEAM_INSTEAD) return (int)seam_failed();
    int descriptor = (int)syscall(SYS_openat, folder, path, flags, mode);
    if (manner == SEAM_AFTERWARDS) {
        /* A file that the call made stays; the caller gets no descriptor. */
        if (descriptor >= 0) {
            adopt(descriptor, folder, path, flags, 1);
            seam.open_count--;
            seam.serials[descriptor] = 0;
            (void)syscall(SYS_close, descriptor);
        }
        return (int)seam_failed();
    }
    adopt(descriptor, folder, path, flags, is_counted);
    return descriptor;
}

#define MODE(flags, mode)                                   \
    mode_t mode = 0;                                        \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                  \
        va_list arguments;                                  \
        va_start(arguments, flags);                         \
        mode = (mode_t)va_arg(arguments, int);              \
        va_end(arguments);                                  \
    }

SEAM int open(const char *path, int flags, ...) {
    MODE(flags, mode)
    return open_at(AT_FDCWD, path, flags, mode);
}

SEAM int open64(const char *path, int flags, ...) {
    MODE(flags, mode)
    return open_at(AT_FDCWD, path, flags, mode);
}

SEAM int openat(int folder, const char *path, int flags, ...) {
    MODE(flags, mode)
    return open_at(folder, path, flags, mode);
}

SEAM int openat64(int folder, const char *path, int flags, ...) {
    MODE(flags, mode)
    return open_at(folder, path, flags, mode);
}

SEAM int close(int descriptor) {
    int manner = SEAM_NONE;
    if (seam_serial(descriptor) != 0) {
        manner = seam_enter(SEAM_CLOSE, "close", NULL, descriptor);
        seam.serials[descriptor] = 0;
        seam.open_count--;
    }
    /* The descriptor is closed even where close reports an error. */
    long result = syscall(SYS_close, descriptor);
    return manner == SEAM_NONE ? (int)result : (int)seam_failed();
}

/* ---- Reading and writing ---- */

static ssize_t transfer(int kind, const char *name, int descriptor, void *buffer, size_t size, int64_t offset) {
    int is_counted = seam_serial(descriptor) != 0;
    int manner = is_counted ? seam_enter(kind, name, NULL, descriptor) : SEAM_NONE;
    if (manner == SEAM_INSTEAD) return seam_failed();
    if (manner == SEAM_SHORT && size > 1) {
        size /= 2;
        seam_mark(name, NULL, descriptor);
    }
    int64_t place = offset;
    if (is_counted && kind == SEAM_WRITE && offset < 0) {
        struct stat status;
        long flags = syscall(SYS_fcntl, descriptor, F_GETFL);
        place = flags & O_APPEND && syscall(SYS_fstat, descriptor, &status) == 0
                    ? (int64_t)status.st_size
                    : (int64_t)syscall(SYS_lseek, descriptor, 0, SEEK_CUR);
    }
    long count;
    if (kind == SEAM_READ)
        count = offset < 0 ? syscall(SYS_read, descriptor, buffer, size)
                           : syscall(SYS_pread64, descriptor, buffer, size, offset);
    else
        count = offset < 0 ? syscall(SYS_write, descriptor, buffer, size)
                           : syscall(SYS_pwrite64, descriptor, buffer, size, offset);
    if (is_counted && kind == SEAM_WRITE && count > 0) seam_journal_write(descriptor, buffer, (size_t)count, place);
    return manner == SEAM_AFTERWARDS ? seam_failed() : count;
}

SEAM ssize_t read(int descriptor, void *buffer, size_t size) {
    return transfer(SEAM_READ, "read", descriptor, buffer, size, -1);
}

SEAM ssize_t pread(int descriptor, void *buffer, size_t size, off_t offset) {
    return transfer(SEAM_READ, "pread", descriptor, buffer, size, offset);
}

SEAM ssize_t pread64(int descriptor, void *buffer, size_t size, off64_t offset) {
    return transfer(SEAM_READ, "pread", descriptor, buffer, size, offset);
}

SEAM ssize_t write(int descriptor, const void *bytes, size_t size) {
    return transfer(SEAM_WRITE, "write", descriptor, (void *)bytes, size, -1);
}

SEAM ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
    return transfer(SEAM_WRITE, "pwrite", descriptor, (void *)bytes, size, offset);
}

SEAM ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset) {
    return transfer(SEAM_WRITE, "pwrite", descriptor, (void *)bytes, size, offset);
}

static int synchronize(const char *name, int descriptor) {
    int is_counted = seam_serial(descriptor) != 0;
    int manner = is_counted ? seam_enter(SEAM_SYNC, name, NULL, descriptor) : SEAM_NONE;
    if (manner == SEAM_INSTEAD) return (int)seam_failed();
    /* No file outlives this process, so fsync is skipped: the journal records what is durable. */
    if (!is_counted || !seam.is_armed) return (int)syscall(SYS_fsync, descriptor);
    (void)seam_append(SEAM_DID_SYNC, seam_serial(descriptor));
    return manner == SEAM_AFTERWARDS ? (int)seam_failed() : 0;
}

SEAM int fsync(int descriptor) { return synchronize("fsync", descriptor); }
SEAM int fdatasync(int descriptor) { return synchronize("fdatasync", descriptor); }

static int cut(int descriptor, int64_t size) {
    int is_counted = seam_serial(descriptor) != 0;
    int manner = is_counted ? seam_enter(SEAM_TRUNCATE, "ftruncate", NULL, descriptor) : SEAM_NONE;
    if (manner == SEAM_INSTEAD) return (int)seam_failed();
    long result = syscall(SYS_ftruncate, descriptor, size);
    if (is_counted && result == 0) {
        struct seam_entry *entry = seam_append(SEAM_DID_TRUNCATE, seam_serial(descriptor));
        if (entry != NULL) entry->offset = size;
    }
    return manner == SEAM_AFTERWARDS ? (int)seam_failed() : (int)result;
}

SEAM int ftruncate(int descriptor, off_t size) { return cut(descriptor, size); }
SEAM int ftruncate64(int descriptor, off64_t size) { return cut(descriptor, size); }

SEAM off_t lseek(int descriptor, off_t offset, int whence) {
    if (seam_serial(descriptor) != 0 && seam_enter(SEAM_OTHER, "lseek", NULL, descriptor) != SEAM_NONE) return seam_failed();
    return syscall(SYS_lseek, descriptor, offset, whence);
}

SEAM off64_t lseek64(int descriptor, off64_t offset, int whence) { return lseek(descriptor, offset, whence); }

SEAM int posix_fadvise(int descriptor, off_t offset, off_t size, int advice) {
    if (seam_serial(descriptor) != 0 && seam_enter(SEAM_OTHER, "posix_fadvise", NULL, descriptor) != SEAM_NONE) return seam.code;
    return syscall(SYS_fadvise64, descriptor, offset, size, advice) == 0 ? 0 : errno;
}

SEAM void *mmap(void *address, size_t size, int protection, int flags, int descriptor, off_t offset) {
    if (descriptor >= 0 && seam_serial(descriptor) != 0 && seam_enter(SEAM_MAP, "mmap", NULL, descriptor) != SEAM_NONE) {
        (void)seam_failed();
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, address, size, protection, flags, descriptor, offset);
}

SEAM void *mmap64(void *address, size_t size, int protection, int flags, int descriptor, off64_t offset) {
    return mmap(address, size, protection, flags, descriptor, offset);
}

/* ---- Names ---- */

static int rename_at(int from, const char *old, int to, const char *new) {
    int is_counted = seam_is_ours(from, old) || seam_is_ours(to, new);
    int manner = is_counted ? seam_enter(SEAM_RENAME, "rename", old, -1) : SEAM_NONE;
    if (manner == SEAM_INSTEAD) return (int)seam_failed();
    long result = syscall(SYS_renameat2, from, old, to, new, 0);
    if (is_counted && result == 0)
        seam_journal_paths(
            SEAM_DID_RENAME, old[0] == '/' ? 0 : seam_serial(from), old, new[0] == '/' ? 0 : seam_serial(to), new, 0);
    return manner == SEAM_AFTERWARDS ? (int)seam_failed() : (int)result;
}

SEAM int rename(const char *old, const char *new) { return rename_at(AT_FDCWD, old, AT_FDCWD, new); }
SEAM int renameat(int from, const char *old, int to, const char *new) { return rename_at(from, old, to, new); }

SEAM int linkat(int from, const char *old, int to, const char *new, int flags) {
    int is_counted = seam_is_ours(from, old) || seam_is_ours(to, new);
    int manner = is_counted ? seam_enter(SEAM_LINK, "link", old, -1) : SEAM_NONE;
    if (manner == SEAM_INSTEAD) return (int)seam_failed();
    long result = syscall(SYS_linkat, from, old, to, new, flags);
    if (is_counted && result == 0)
        seam_journal_paths(
            SEAM_DID_LINK, old[0] == '/' ? 0 : seam_serial(from), old, new[0] == '/' ? 0 : seam_serial(to), new, 0);
    return manner == SEAM_AFTERWARDS ? (int)seam_failed() : (int)result;
}

static int remove_at(const char *name, int folder, const char *path, int flags) {
    int is_counted = seam_is_ours(folder, path);
    int manner = is_counted ? seam_enter(SEAM_REMOVE, name, path, -1) : SEAM_NONE;
    if (manner == SEAM_INSTEAD) return (int)seam_failed();
    long result = syscall(SYS_unlinkat, folder, path, flags);
    if (is_counted && result == 0)
        seam_journal_paths(SEAM_DID_REMOVE, path[0] == '/' ? 0 : seam_serial(folder), path, 0, NULL, flags);
    return manner == SEAM_AFTERWARDS ? (int)seam_failed() : (int)result;
}

SEAM int unlink(const char *path) { return remove_at("unlink", AT_FDCWD, path, 0); }
SEAM int unlinkat(int folder, const char *path, int flags) { return remove_at("unlink", folder, path, flags); }
SEAM int rmdir(const char *path) { return remove_at("rmdir", AT_FDCWD, path, AT_REMOVEDIR); }

SEAM int mkdirat(int folder, const char *path, mode_t mode) {
    int is_counted = seam_is_ours(folder, path);
    int manner = is_counted ? seam_enter(SEAM_MAKE_FOLDER, "mkdir", path, -1) : SEAM_NONE;
    if (manner == SEAM_INSTEAD) return (int)seam_failed();
    long result = syscall(SYS_mkdirat, folder, path, mode);
    if (is_counted && result == 0)
        seam_journal_paths(SEAM_DID_MAKE_FOLDER, path[0] == '/' ? 0 : seam_serial(folder), path, 0, NULL, 0);
    return manner == SEAM_AFTERWARDS ? (int)seam_failed() : (int)result;
}

SEAM int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

/* ---- Reading attributes ---- */

SEAM int fstatat(int folder, const char *path, struct stat *status, int flags) {
    PASS(SEAM_STATUS, seam_is_ours(folder, path), "stat", path, -1, SYS_newfstatat, folder, path, status, flags);
}

SEAM int fstatat64(int folder, const char *path, struct stat64 *status, int flags) {
    return fstatat(folder, path, (struct stat *)status, flags);
}

SEAM int stat(const char *path, struct stat *status) { return fstatat(AT_FDCWD, path, status, 0); }
SEAM int stat64(const char *path, struct stat64 *status) { return fstatat64(AT_FDCWD, path, status, 0); }

SEAM int lstat(const char *path, struct stat *status) { return fstatat(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW); }

SEAM int lstat64(const char *path, struct stat64 *status) {
    return fstatat64(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

SEAM int fstat(int descriptor, struct stat *status) {
    PASS(SEAM_STATUS, seam_serial(descriptor) != 0, "fstat", NULL, descriptor, SYS_fstat, descriptor, status);
}

SEAM int fstat64(int descriptor, struct stat64 *status) { return fstat(descriptor, (struct stat *)status); }

SEAM int access(const char *path, int mode) {
    PASS(SEAM_STATUS, seam_is_ours(AT_FDCWD, path), "access", path, -1, SYS_faccessat, AT_FDCWD, path, mode);
}

SEAM ssize_t readlink(const char *path, char *buffer, size_t size) {
    PASS(SEAM_STATUS, seam_is_ours(AT_FDCWD, path), "readlink", path, -1, SYS_readlinkat, AT_FDCWD, path, buffer, size);
}

SEAM int statvfs(const char *path, struct statvfs *status) {
    static int (*real)(const char *, struct statvfs *);
    if (real == NULL) real = (int (*)(const char *, struct statvfs *))dlsym(RTLD_NEXT, "statvfs");
    if (seam_is_ours(AT_FDCWD, path) && seam_enter(SEAM_STATUS, "statvfs", path, -1) != SEAM_NONE) return (int)seam_failed();
    return real(path, status);
}

SEAM DIR *opendir(const char *path) {
    int is_counted = seam_is_ours(AT_FDCWD, path);
    if (is_counted && seam_enter(SEAM_OPEN, "opendir", path, -1) != SEAM_NONE) {
        (void)seam_failed();
        return NULL;
    }
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return descriptor < 0 ? NULL : fdopendir(descriptor);
}

static int is_list_ours(DIR *folder) {
    char link[64], target[512];
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", dirfd(folder));
    long length = seam.is_armed ? syscall(SYS_readlinkat, AT_FDCWD, link, target, sizeof target - 1) : 0;
    if (length <= 0) return 0;
    target[length] = 0;
    return seam_is_below(target);
}

SEAM struct dirent *readdir(DIR *folder) {
    static struct dirent *(*real)(DIR *);
    if (real == NULL) real = (struct dirent * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir");
    int kept = errno;
    if (is_list_ours(folder) && seam_enter(SEAM_LIST, "readdir", NULL, dirfd(folder)) != SEAM_NONE) {
        (void)seam_failed();
        return NULL;
    }
    errno = kept;
    return real(folder);
}

/* ---- Locks and the rest ---- */

SEAM int flock(int descriptor, int operation) {
    PASS(SEAM_LOCK, seam_serial(descriptor) != 0, "flock", NULL, descriptor, SYS_flock, descriptor, operation);
}

SEAM int fcntl64(int descriptor, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    PASS(SEAM_LOCK, seam_serial(descriptor) != 0, "fcntl", NULL, descriptor, SYS_fcntl, descriptor, command, argument);
}

SEAM int fcntl(int descriptor, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return fcntl64(descriptor, command, argument);
}

SEAM int fchmod(int descriptor, mode_t mode) {
    PASS(SEAM_OTHER, seam_serial(descriptor) != 0, "fchmod", NULL, descriptor, SYS_fchmod, descriptor, mode);
}

SEAM int fchown(int descriptor, uid_t user, gid_t group) {
    PASS(SEAM_OTHER, seam_serial(descriptor) != 0, "fchown", NULL, descriptor, SYS_fchown, descriptor, user, group);
}

/* Returns at once: all calls come from one thread, so waiting would change nothing. */
SEAM int usleep(useconds_t microseconds) {
    (void)microseconds;
    return 0;
}
