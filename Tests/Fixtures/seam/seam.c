#define _GNU_SOURCE
#undef _FORTIFY_SOURCE
#include "seam.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* What is exported; the names are those of the C library. */
#define SEAM __attribute__((visibility("default"), used))

enum { most_descriptors = 4096, most_kinds = 1 << 20 };

static struct {
    char root[512];
    size_t root_length;
    int is_armed;
    int is_recording;
    uint64_t count, target;
    int manner, code, has_struck;
    char where[1024];
    /* 0 for a descriptor of no file below the root. */
    uint64_t serials[most_descriptors];
    uint64_t last_serial;
    int open_count;
    struct seam_entry *entries;
    size_t entry_count, entry_room;
    uint8_t kinds[most_kinds];
} seam;

/* ---- What counts ---- */

static int is_below(const char *path) {
    return seam.root_length > 0 && strncmp(path, seam.root, seam.root_length) == 0 &&
           (path[seam.root_length] == '/' || path[seam.root_length] == 0);
}

static uint64_t serial(int descriptor) {
    return descriptor >= 0 && descriptor < most_descriptors ? seam.serials[descriptor] : 0;
}

static int is_ours(int folder, const char *path) { return path[0] == '/' ? is_below(path) : serial(folder) != 0; }

static int needs_room(int kind) {
    return kind == SEAM_WRITE || kind == SEAM_MAKE_FOLDER || kind == SEAM_RENAME || kind == SEAM_TRUNCATE;
}

static void mark(const char *name, const char *path, int descriptor) {
    char link[64], target[512] = "";
    if (path == NULL && descriptor >= 0) {
        (void)snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        if (syscall(SYS_readlinkat, AT_FDCWD, link, target, sizeof target - 1) < 0) target[0] = 0;
        path = target;
    }
    (void)snprintf(seam.where, sizeof seam.where, "%s %s", name, path == NULL ? "" : path);
    seam.has_struck = 1;
}

/* Counts a call; how it is to fail, if at all. */
static int enter(int kind, const char *name, const char *path, int descriptor) {
    if (!seam.is_armed) return SEAM_NONE;
    seam.count++;
    if (seam.count < most_kinds) seam.kinds[seam.count] = (uint8_t)kind;
    int strikes = seam.manner == SEAM_ONWARDS ? seam.count >= seam.target && needs_room(kind)
                                              : seam.count == seam.target && seam.manner != SEAM_NONE;
    if (!strikes) return SEAM_NONE;
    if (seam.manner == SEAM_SHORT) return kind == SEAM_READ || kind == SEAM_WRITE ? SEAM_SHORT : SEAM_NONE;
    if (!seam.has_struck) mark(name, path, descriptor);
    return seam.manner == SEAM_ONWARDS ? SEAM_INSTEAD : seam.manner;
}

static long failed(void) {
    errno = seam.code;
    return -1;
}

/* A call that is made by its number, or fails as it should. */
#define PASS(kind, is_counted, name, path, descriptor, ...)                            \
    do {                                                                               \
        int manner = (is_counted) ? enter(kind, name, path, descriptor) : SEAM_NONE;   \
        if (manner == SEAM_INSTEAD) return (int)failed();                              \
        long result = syscall(__VA_ARGS__);                                            \
        if (manner == SEAM_AFTERWARDS) return (int)failed();                           \
        return (int)result;                                                            \
    } while (0)

/* ---- The journal ---- */

static struct seam_entry *append(int event, uint64_t first) {
    if (!seam.is_armed || !seam.is_recording) return NULL;
    if (seam.entry_count == seam.entry_room) {
        seam.entry_room = seam.entry_room * 2 + 256;
        seam.entries = realloc(seam.entries, seam.entry_room * sizeof *seam.entries);
        if (seam.entries == NULL) abort();
    }
    struct seam_entry *entry = &seam.entries[seam.entry_count++];
    memset(entry, 0, sizeof *entry);
    entry->event = event;
    entry->first = first;
    return entry;
}

static void journal_paths(int event, uint64_t first, const char *path, uint64_t second, const char *other, int flags) {
    int kept = errno;
    struct seam_entry *entry = append(event, first);
    if (entry != NULL) {
        entry->second = second;
        entry->flags = flags;
        entry->path = strdup(path);
        entry->other_path = other == NULL ? NULL : strdup(other);
    }
    errno = kept;
}

static void journal_write(int descriptor, const void *bytes, size_t size, int64_t offset) {
    int kept = errno;
    struct seam_entry *entry = append(SEAM_DID_WRITE, serial(descriptor));
    if (entry != NULL) {
        uint8_t *copy = malloc(size + 1);
        if (copy == NULL) abort();
        memcpy(copy, bytes, size);
        entry->bytes = copy;
        entry->size = size;
        entry->offset = offset;
    }
    errno = kept;
}

void seam_arm(const char *root, uint64_t target, int manner, int code) {
    (void)snprintf(seam.root, sizeof seam.root, "%s", root);
    seam.root_length = strlen(seam.root);
    seam.count = 0;
    seam.target = target;
    seam.manner = manner;
    seam.code = code;
    seam.has_struck = 0;
    seam.where[0] = 0;
    seam.is_armed = 1;
}

void seam_pause(void) { seam.is_armed = 0; }
void seam_resume(void) { seam.is_armed = 1; }

uint64_t seam_disarm(void) {
    seam.is_armed = 0;
    seam.is_recording = 0;
    seam.manner = SEAM_NONE;
    return seam.count;
}

int seam_has_struck(void) { return seam.has_struck; }
const char *seam_where(void) { return seam.where; }
int seam_kind(uint64_t number) { return number < most_kinds ? seam.kinds[number] : 0; }
int seam_open_count(void) { return seam.open_count; }

void seam_record(int is_recording) {
    for (size_t index = 0; is_recording && index < seam.entry_count; index++) {
        free((void *)seam.entries[index].bytes);
        free((void *)seam.entries[index].path);
        free((void *)seam.entries[index].other_path);
    }
    if (is_recording) seam.entry_count = 0;
    seam.is_recording = is_recording;
}

void seam_note(int64_t number) {
    struct seam_entry *entry = append(SEAM_NOTE, 0);
    if (entry != NULL) entry->offset = number;
}

size_t seam_entry_count(void) { return seam.entry_count; }
const struct seam_entry *seam_entry(size_t index) { return &seam.entries[index]; }

/* ---- Opening and closing ---- */

static void adopt(int descriptor, int folder, const char *path, int flags, int is_counted) {
    if (!is_counted || descriptor < 0 || descriptor >= most_descriptors) return;
    seam.serials[descriptor] = ++seam.last_serial;
    seam.open_count++;
    journal_paths(SEAM_DID_OPEN, seam.last_serial, path, path[0] == '/' ? 0 : serial(folder), NULL, flags);
}

static int open_at(int folder, const char *path, int flags, mode_t mode) {
    int is_counted = is_ours(folder, path);
    int manner = is_counted ? enter(SEAM_OPEN, "open", path, -1) : SEAM_NONE;
    if (manner == SEAM_INSTEAD) return (int)failed();
    int descriptor = (int)syscall(SYS_openat, folder, path, flags, mode);
    if (manner == SEAM_AFTERWARDS) {
        /* What it may have made is there; a descriptor nobody gets. */
        if (descriptor >= 0) {
            adopt(descriptor, folder, path, flags, 1);
            seam.open_count--;
            seam.serials[descriptor] = 0;
            (void)syscall(SYS_close, descriptor);
        }
        return (int)failed();
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
    if (serial(descriptor) != 0) {
        manner = enter(SEAM_CLOSE, "close", NULL, descriptor);
        seam.serials[descriptor] = 0;
        seam.open_count--;
    }
    /* A descriptor is gone, whatever close says. */
    long result = syscall(SYS_close, descriptor);
    return manner == SEAM_NONE ? (int)result : (int)failed();
}

/* ---- Reading and writing ---- */

static ssize_t transfer(int kind, const char *name, int descriptor, void *buffer, size_t size, int64_t offset) {
    int is_counted = serial(descriptor) != 0;
    int manner = is_counted ? enter(kind, name, NULL, descriptor) : SEAM_NONE;
    if (manner == SEAM_INSTEAD) return failed();
    if (manner == SEAM_SHORT && size > 1) {
        size /= 2;
        mark(name, NULL, descriptor);
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
    if (is_counted && kind == SEAM_WRITE && count > 0) journal_write(descriptor, buffer, (size_t)count, place);
    return manner == SEAM_AFTERWARDS ? failed() : count;
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
    int is_counted = serial(descriptor) != 0;
    int manner = is_counted ? enter(SEAM_SYNC, name, NULL, descriptor) : SEAM_NONE;
    if (manner == SEAM_INSTEAD) return (int)failed();
    /* Nothing here is to outlive this process: what is durable, the journal tells. */
    if (!is_counted || !seam.is_armed) return (int)syscall(SYS_fsync, descriptor);
    (void)append(SEAM_DID_SYNC, serial(descriptor));
    return manner == SEAM_AFTERWARDS ? (int)failed() : 0;
}

SEAM int fsync(int descriptor) { return synchronize("fsync", descriptor); }
SEAM int fdatasync(int descriptor) { return synchronize("fdatasync", descriptor); }

static int cut(int descriptor, int64_t size) {
    int is_counted = serial(descriptor) != 0;
    int manner = is_counted ? enter(SEAM_TRUNCATE, "ftruncate", NULL, descriptor) : SEAM_NONE;
    if (manner == SEAM_INSTEAD) return (int)failed();
    long result = syscall(SYS_ftruncate, descriptor, size);
    if (is_counted && result == 0) {
        struct seam_entry *entry = append(SEAM_DID_TRUNCATE, serial(descriptor));
        if (entry != NULL) entry->offset = size;
    }
    return manner == SEAM_AFTERWARDS ? (int)failed() : (int)result;
}

SEAM int ftruncate(int descriptor, off_t size) { return cut(descriptor, size); }
SEAM int ftruncate64(int descriptor, off64_t size) { return cut(descriptor, size); }

SEAM off_t lseek(int descriptor, off_t offset, int whence) {
    if (serial(descriptor) != 0 && enter(SEAM_OTHER, "lseek", NULL, descriptor) != SEAM_NONE) return failed();
    return syscall(SYS_lseek, descriptor, offset, whence);
}

SEAM off64_t lseek64(int descriptor, off64_t offset, int whence) { return lseek(descriptor, offset, whence); }

SEAM int posix_fadvise(int descriptor, off_t offset, off_t size, int advice) {
    if (serial(descriptor) != 0 && enter(SEAM_OTHER, "posix_fadvise", NULL, descriptor) != SEAM_NONE) return seam.code;
    return syscall(SYS_fadvise64, descriptor, offset, size, advice) == 0 ? 0 : errno;
}

SEAM void *mmap(void *address, size_t size, int protection, int flags, int descriptor, off_t offset) {
    if (descriptor >= 0 && serial(descriptor) != 0 && enter(SEAM_MAP, "mmap", NULL, descriptor) != SEAM_NONE) {
        (void)failed();
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, address, size, protection, flags, descriptor, offset);
}

SEAM void *mmap64(void *address, size_t size, int protection, int flags, int descriptor, off64_t offset) {
    return mmap(address, size, protection, flags, descriptor, offset);
}

/* ---- Names ---- */

static int rename_at(int from, const char *old, int to, const char *new) {
    int is_counted = is_ours(from, old) || is_ours(to, new);
    int manner = is_counted ? enter(SEAM_RENAME, "rename", old, -1) : SEAM_NONE;
    if (manner == SEAM_INSTEAD) return (int)failed();
    long result = syscall(SYS_renameat2, from, old, to, new, 0);
    if (is_counted && result == 0)
        journal_paths(
            SEAM_DID_RENAME, old[0] == '/' ? 0 : serial(from), old, new[0] == '/' ? 0 : serial(to), new, 0);
    return manner == SEAM_AFTERWARDS ? (int)failed() : (int)result;
}

SEAM int rename(const char *old, const char *new) { return rename_at(AT_FDCWD, old, AT_FDCWD, new); }
SEAM int renameat(int from, const char *old, int to, const char *new) { return rename_at(from, old, to, new); }

static int remove_at(const char *name, int folder, const char *path, int flags) {
    int is_counted = is_ours(folder, path);
    int manner = is_counted ? enter(SEAM_REMOVE, name, path, -1) : SEAM_NONE;
    if (manner == SEAM_INSTEAD) return (int)failed();
    long result = syscall(SYS_unlinkat, folder, path, flags);
    if (is_counted && result == 0)
        journal_paths(SEAM_DID_REMOVE, path[0] == '/' ? 0 : serial(folder), path, 0, NULL, flags);
    return manner == SEAM_AFTERWARDS ? (int)failed() : (int)result;
}

SEAM int unlink(const char *path) { return remove_at("unlink", AT_FDCWD, path, 0); }
SEAM int unlinkat(int folder, const char *path, int flags) { return remove_at("unlink", folder, path, flags); }
SEAM int rmdir(const char *path) { return remove_at("rmdir", AT_FDCWD, path, AT_REMOVEDIR); }

SEAM int mkdirat(int folder, const char *path, mode_t mode) {
    int is_counted = is_ours(folder, path);
    int manner = is_counted ? enter(SEAM_MAKE_FOLDER, "mkdir", path, -1) : SEAM_NONE;
    if (manner == SEAM_INSTEAD) return (int)failed();
    long result = syscall(SYS_mkdirat, folder, path, mode);
    if (is_counted && result == 0)
        journal_paths(SEAM_DID_MAKE_FOLDER, path[0] == '/' ? 0 : serial(folder), path, 0, NULL, 0);
    return manner == SEAM_AFTERWARDS ? (int)failed() : (int)result;
}

SEAM int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

/* ---- Looking ---- */

SEAM int fstatat(int folder, const char *path, struct stat *status, int flags) {
    PASS(SEAM_STATUS, is_ours(folder, path), "stat", path, -1, SYS_newfstatat, folder, path, status, flags);
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
    PASS(SEAM_STATUS, serial(descriptor) != 0, "fstat", NULL, descriptor, SYS_fstat, descriptor, status);
}

SEAM int fstat64(int descriptor, struct stat64 *status) { return fstat(descriptor, (struct stat *)status); }

SEAM int access(const char *path, int mode) {
    PASS(SEAM_STATUS, is_ours(AT_FDCWD, path), "access", path, -1, SYS_faccessat, AT_FDCWD, path, mode);
}

SEAM ssize_t readlink(const char *path, char *buffer, size_t size) {
    PASS(SEAM_STATUS, is_ours(AT_FDCWD, path), "readlink", path, -1, SYS_readlinkat, AT_FDCWD, path, buffer, size);
}

SEAM int statvfs(const char *path, struct statvfs *status) {
    static int (*real)(const char *, struct statvfs *);
    if (real == NULL) real = (int (*)(const char *, struct statvfs *))dlsym(RTLD_NEXT, "statvfs");
    if (is_ours(AT_FDCWD, path) && enter(SEAM_STATUS, "statvfs", path, -1) != SEAM_NONE) return (int)failed();
    return real(path, status);
}

SEAM DIR *opendir(const char *path) {
    int is_counted = is_ours(AT_FDCWD, path);
    if (is_counted && enter(SEAM_OPEN, "opendir", path, -1) != SEAM_NONE) {
        (void)failed();
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
    return is_below(target);
}

SEAM struct dirent *readdir(DIR *folder) {
    static struct dirent *(*real)(DIR *);
    if (real == NULL) real = (struct dirent * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir");
    int kept = errno;
    if (is_list_ours(folder) && enter(SEAM_LIST, "readdir", NULL, dirfd(folder)) != SEAM_NONE) {
        (void)failed();
        return NULL;
    }
    errno = kept;
    return real(folder);
}

/* ---- Locks and the rest ---- */

SEAM int flock(int descriptor, int operation) {
    PASS(SEAM_LOCK, serial(descriptor) != 0, "flock", NULL, descriptor, SYS_flock, descriptor, operation);
}

SEAM int fcntl64(int descriptor, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    PASS(SEAM_LOCK, serial(descriptor) != 0, "fcntl", NULL, descriptor, SYS_fcntl, descriptor, command, argument);
}

SEAM int fcntl(int descriptor, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return fcntl64(descriptor, command, argument);
}

SEAM int fchmod(int descriptor, mode_t mode) {
    PASS(SEAM_OTHER, serial(descriptor) != 0, "fchmod", NULL, descriptor, SYS_fchmod, descriptor, mode);
}

SEAM int fchown(int descriptor, uid_t user, gid_t group) {
    PASS(SEAM_OTHER, serial(descriptor) != 0, "fchown", NULL, descriptor, SYS_fchown, descriptor, user, group);
}

/* Nobody waits: every call comes from one thread, and nothing goes on meanwhile. */
SEAM int usleep(useconds_t microseconds) {
    (void)microseconds;
    return 0;
}

/* ---- Rounds that do not end well ---- */

static char round_text[512];

static void report(int number) {
    char text[1800];
    int length = snprintf(
        text, sizeof text, "problem: %s: signal %d%s, struck: %s\n", round_text, number,
        number == SIGALRM ? " (it hangs)" : "", seam.has_struck ? seam.where : "nothing");
    (void)syscall(SYS_write, 1, text, (size_t)length);
    _exit(3);
}

void seam_watch(unsigned seconds, const char *text) {
    static const int signals[] = {SIGALRM, SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE};
    if (round_text[0] == 0)
        for (size_t index = 0; index < sizeof signals / sizeof signals[0]; index++)
            (void)signal(signals[index], report);
    (void)snprintf(round_text, sizeof round_text, "%s", text);
    (void)alarm(seconds);
}

/* ---- Proof that nothing passes by ---- */

#if defined(__x86_64__)
#define ARGUMENTS(context)                                                                              \
    {(context)->uc_mcontext.gregs[REG_RDI], (context)->uc_mcontext.gregs[REG_RSI],                      \
     (context)->uc_mcontext.gregs[REG_RDX], (context)->uc_mcontext.gregs[REG_R10],                      \
     (context)->uc_mcontext.gregs[REG_R8]}
#define RESULT(context) (context)->uc_mcontext.gregs[REG_RAX]
#elif defined(__aarch64__)
#define ARGUMENTS(context)                                                                              \
    {(long)(context)->uc_mcontext.regs[0], (long)(context)->uc_mcontext.regs[1],                        \
     (long)(context)->uc_mcontext.regs[2], (long)(context)->uc_mcontext.regs[3],                        \
     (long)(context)->uc_mcontext.regs[4]}
#define RESULT(context) (context)->uc_mcontext.regs[0]
#endif

static int has_path_first(int number) {
#ifdef SYS_open
    switch (number) {
    case SYS_open: case SYS_creat: case SYS_rename: case SYS_unlink: case SYS_mkdir: case SYS_rmdir: case SYS_link:
    case SYS_symlink: case SYS_chmod: return 1;
    default: break;
    }
#endif
    return number == SYS_truncate || number == SYS_symlinkat;
}

static int has_path_second(int number) {
    switch (number) {
    case SYS_openat: case SYS_openat2: case SYS_renameat: case SYS_renameat2: case SYS_unlinkat: case SYS_mkdirat:
    case SYS_linkat: case SYS_fchmodat: case SYS_fchownat: case SYS_utimensat: return 1;
    default: return 0;
    }
}

static int is_open_below(int descriptor) {
    char link[64], target[512];
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, target, sizeof target - 1);
    if (length <= 0) return 0;
    target[length] = 0;
    return is_below(target);
}

/* What the C library reads by itself, such as /etc/passwd, is made good; a call about a file below the root is the end. */
static void tell(int signal_number, siginfo_t *information, void *opaque) {
    (void)signal_number;
    ucontext_t *context = opaque;
    int number = information->si_syscall, kept = errno;
    long arguments[] = ARGUMENTS(context);
    const char *path = has_path_first(number)    ? (const char *)arguments[0]
                       : has_path_second(number) ? (const char *)arguments[1]
                                                 : NULL;
    int is_ours = path != NULL && path[0] == '/' ? is_below(path) : is_open_below((int)arguments[0]);
    if (is_ours) {
        char text[640];
        int length = snprintf(
            text, sizeof text, "problem: system call %d did not come through the seam: %s\n", number,
            path == NULL ? "" : path);
        (void)syscall(SYS_write, 1, text, (size_t)length);
        _exit(3);
    }
    long result = syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]);
    RESULT(context) = result < 0 ? -errno : result;
    errno = kept;
}

int seam_forbid_others(void) {
    static const int forbidden[] = {
        SYS_openat, SYS_openat2, SYS_write, SYS_writev, SYS_pwrite64, SYS_pwritev, SYS_pwritev2, SYS_read, SYS_readv,
        SYS_pread64, SYS_preadv, SYS_fsync, SYS_fdatasync, SYS_sync_file_range, SYS_ftruncate, SYS_truncate,
        SYS_fallocate, SYS_renameat2, SYS_unlinkat, SYS_mkdirat, SYS_linkat, SYS_symlinkat, SYS_fchmod, SYS_fchmodat,
        SYS_fchown, SYS_fchownat, SYS_flock, SYS_copy_file_range, SYS_sendfile, SYS_splice, SYS_utimensat,
#ifdef SYS_open
        SYS_open, SYS_creat, SYS_rename, SYS_unlink, SYS_mkdir, SYS_rmdir, SYS_link, SYS_symlink, SYS_chmod,
#endif
        SYS_renameat,
    };
    enum { count = sizeof forbidden / sizeof forbidden[0] };
    /* All calls of the seam leave the process in the C library's syscall(). */
    uintptr_t start = (uintptr_t)dlsym(RTLD_NEXT, "syscall"), end = start + 64;
    if (start == 0 || start >> 32 != end >> 32) return -1;
    struct sock_filter filter[count + 16];
    unsigned short length = 0;
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int index = 0; index < count; index++) {
        unsigned char distance = (unsigned char)(count - index);
        filter[length++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)forbidden[index], distance, 0);
    }
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    /* Here, with the address behind the call; its lower half comes first on the machines that this runs on. */
    filter[length++] = (struct sock_filter)BPF_STMT(
        BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4);
    filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(start >> 32), 0, 4);
    filter[length++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer));
    filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (unsigned)start, 0, 2);
    filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (unsigned)end, 1, 0);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = tell;
    action.sa_flags = SA_SIGINFO;
    if (sigaction(SIGSYS, &action, NULL) != 0) return -1;
    struct sock_fprog program = {length, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
