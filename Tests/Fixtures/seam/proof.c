#include "state.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- Proof that no call bypasses the seam ---- */

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
    return seam_is_below(target);
}

/* Makes the blocked call for files that the C library reads itself, such as /etc/passwd. Ends the process for a file
   below the root. */
static void tell(int signal_number, siginfo_t *information, void *opaque) {
    (void)signal_number;
    ucontext_t *context = opaque;
    int number = information->si_syscall, kept = errno;
    long arguments[] = ARGUMENTS(context);
    const char *path = has_path_first(number)    ? (const char *)arguments[0]
                       : has_path_second(number) ? (const char *)arguments[1]
                                                 : NULL;
    int is_ours = path != NULL && path[0] == '/' ? seam_is_below(path) : is_open_below((int)arguments[0]);
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
    /* All calls of the seam enter the kernel from the C library's syscall(). */
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
    /* For a forbidden call, loads the address after the call; the machines that run this are little-endian. */
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
