#define _GNU_SOURCE
#include "sandbox_attempts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char *folder, *outside;
static char inside[4096], inside_new[4096];

static long touch(const char *path) { return open(path, O_WRONLY | O_CREAT, 0600); }

/* Files */
static long read_outside(void) { return open(outside, O_RDONLY); }
static long write_outside(void) { return open(outside, O_WRONLY); }
static long cut_outside(void) { return open(outside, O_RDONLY | O_TRUNC); }
static long truncate_outside(void) { return truncate(outside, 0); }
static long make_outside(void) {
    char path[4096];
    (void)snprintf(path, sizeof path, "%s.new", outside);
    return touch(path);
}
static long make_folder_outside(void) {
    char path[4096];
    (void)snprintf(path, sizeof path, "%s.folder", outside);
    return mkdir(path, 0700);
}
static long remove_outside(void) { return unlink(outside); }
static long rename_out(void) { return rename(inside, outside); }
static long rename_in(void) { return rename(outside, inside_new); }
static long link_out(void) {
    char path[4096];
    (void)snprintf(path, sizeof path, "%s.link", outside);
    return linkat(AT_FDCWD, inside, AT_FDCWD, path, 0);
}
static long link_in(void) { return linkat(AT_FDCWD, outside, AT_FDCWD, inside_new, 0); }
static long link_inside(void) {
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/other", folder);
    if (mkdir(path, 0700) != 0) return -1;
    (void)snprintf(path, sizeof path, "%s/other/name", folder);
    return linkat(AT_FDCWD, inside, AT_FDCWD, path, 0);
}
static long link_followed(void) { return linkat(AT_FDCWD, inside, AT_FDCWD, inside_new, AT_SYMLINK_FOLLOW); }
static long private_inside(void) {
    int file = open(inside, O_RDONLY);
    return file < 0 ? -1 : fchmod(file, 0600);
}
static long mode_inside(void) {
    int file = open(inside, O_RDONLY);
    return file < 0 ? -1 : fchmod(file, 0640);
}
static long rename_inside(void) { return rename(inside, inside_new); }
static long write_inside(void) { return open(inside, O_RDWR); }
static long make_inside(void) { return touch(inside_new); }
static long remove_inside(void) { return unlink(inside); }
static long symlink_inside(void) { return symlink("/etc/passwd", inside_new); }
static long pipe_inside(void) { return mkfifo(inside_new, 0600); }
static long device_inside(void) { return mknod(inside_new, S_IFCHR | 0600, 0x0101); }
static long socket_inside(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s/s", folder);
    int socket = (int)syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
    return socket < 0 ? -1 : bind(socket, (struct sockaddr *)&address, sizeof address);
}
static long mode_outside(void) { return chmod(outside, 0777); }
static long mode_by_descriptor(void) {
    int file = open(outside, O_RDONLY);
    return file < 0 ? -1 : fchmod(file, 0777);
}
static long attribute_outside(void) { return setxattr(outside, "user.x", "x", 1, 0); }
static long list_root(void) { return open("/", O_RDONLY | O_DIRECTORY); }
static long watch_proc(void) {
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/environ", getppid());
    return open(path, O_RDONLY);
}

/* Sockets */
static long inet(void) { return syscall(SYS_socket, AF_INET, SOCK_STREAM, 0); }
static long inet6(void) { return syscall(SYS_socket, AF_INET6, SOCK_DGRAM, 0); }
static long netlink(void) { return syscall(SYS_socket, AF_NETLINK, SOCK_RAW, 0); }
static long packet(void) { return syscall(SYS_socket, AF_PACKET, SOCK_RAW, 0); }
static long unix_socket(void) { return syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0); }
static long wide_family(void) { return syscall(SYS_socket, (1L << 32) | AF_INET, SOCK_STREAM, 0); }
static long listen_anywhere(void) { return syscall(SYS_listen, 0, 1); }

/* Processes */
static void *nothing(void *unused) { return unused; }
static long thread(void) {
    pthread_t thread;
    int error = pthread_create(&thread, NULL, nothing, NULL);
    if (error != 0) {
        errno = error;
        return -1;
    }
    return pthread_join(thread, NULL);
}
static long new_process(void) {
    long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) _exit(0);
    return pid;
}
static long new_process_3(void) {
    struct { unsigned long long words[8]; } arguments = {.words = {[4] = SIGCHLD}};
    long pid = syscall(SYS_clone3, &arguments, sizeof arguments);
    if (pid == 0) _exit(0);
    return pid;
}
static long new_namespace(void) {
    long pid = syscall(SYS_clone, SIGCHLD | CLONE_NEWUSER, 0, 0, 0, 0);
    if (pid == 0) _exit(0);
    return pid;
}
static long execute(const char *path) {
    char *arguments[] = {(char *)path, NULL};
    return execve(path, arguments, NULL);
}
static long execute_true(void) { return execute("/bin/true"); }
static long execute_false(void) { return execute("/bin/false"); }
static long execute_descriptor(void) {
    int file = open("/bin/true", O_PATH);
    char *arguments[] = {(char *)"true", NULL};
    return syscall(SYS_execveat, file, "", arguments, NULL, AT_EMPTY_PATH);
}
static long trace_parent(void) { return ptrace(PTRACE_ATTACH, getppid(), NULL, NULL); }
static long read_parent(void) {
    char byte;
    struct iovec local = {&byte, 1}, remote = {(void *)0x1000, 1};
    return process_vm_readv(getppid(), &local, 1, &remote, 1, 0);
}
static long write_parent(void) {
    char byte = 0;
    struct iovec local = {&byte, 1}, remote = {(void *)0x1000, 1};
    return process_vm_writev(getppid(), &local, 1, &remote, 1, 0);
}
static long signal_parent(void) { return kill(getppid(), 0); }
static long signal_self(void) { return syscall(SYS_tgkill, getpid(), gettid(), SIGUSR2 * 0); }
static long signal_parent_thread(void) { return syscall(SYS_tgkill, getppid(), getppid(), 0); }
static long take_descriptor(void) {
    int parent = (int)syscall(SYS_pidfd_open, getppid(), 0);
    return syscall(SYS_pidfd_getfd, parent, 0, 0);
}

/* Memory */
static long map_code(void) {
    return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0;
}
static long map_data(void) {
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0;
}
static long make_code(void) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? -1 : mprotect(page, 4096, PROT_READ | PROT_EXEC);
}
static long make_code_by_key(void) { return syscall(SYS_pkey_mprotect, 0x1000, 4096, PROT_EXEC, -1); }
static long dump_memory(void) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? -1 : madvise(page, 4096, MADV_DODUMP);
}
static long memory_file(void) { return memfd_create("x", 0); }

/* Privileges and the machine */
static long dumpable(void) { return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); }
static long tracer(void) { return prctl(PR_SET_PTRACER, getppid(), 0, 0, 0); }
static long own_filter(void) { return syscall(SYS_seccomp, 0, 0, NULL); }
static long become_other(void) { return syscall(SYS_setresuid, 65534, 65534, 65534); }
static long capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {0};
    return syscall(SYS_capset, &header, data);
}
static long namespaces(void) { return unshare(CLONE_NEWUSER); }
static long other_namespace(void) { return setns(0, 0); }
static long mount_something(void) { return mount("none", folder, "tmpfs", 0, NULL); }
static long new_mount(void) { return syscall(SYS_fsopen, "tmpfs", 0); }
static long root_folder(void) { return chroot(folder); }
static long key(void) { return syscall(SYS_keyctl, 0, -3, 0); }
static long add_key(void) { return syscall(SYS_add_key, "user", "x", "x", 1, -3); }
static long bpf_program(void) { return syscall(SYS_bpf, 0, NULL, 0); }
static long performance(void) { return syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0); }
static long faults(void) { return syscall(SYS_userfaultfd, 0); }
static long ring(void) { return syscall(SYS_io_uring_setup, 1, NULL); }
static long handle(void) { return syscall(SYS_open_by_handle_at, AT_FDCWD, NULL, 0); }
static long module(void) { return syscall(SYS_init_module, NULL, 0, ""); }
static long persona(void) { return syscall(SYS_personality, 0xFFFFFFFF); }
static long type_ahead(void) { return ioctl(0, TIOCSTI, "x"); }
static long own_signals(void) { return fcntl(0, F_SETOWN, getppid()); }
static long raise_limit(void) {
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    return setrlimit(RLIMIT_CORE, &limit);
}
static long limit_of_parent(void) {
    struct rlimit limit = {0, 0};
    return prlimit(getppid(), RLIMIT_CORE, &limit, NULL);
}
static long unknown(void) { return syscall(4095); }
static long foreign_abi(void) {
#ifdef __x86_64__
    return syscall(0x40000000 | SYS_getpid);
#else
    raise(SIGSYS);
    return -1;
#endif
}
static long old_abi(void) {
#ifdef __x86_64__
    /* getpid of the 32-bit interface. */
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
    return result;
#else
    raise(SIGSYS);
    return -1;
#endif
}

static const struct {
    const char *name;
    long (*make)(void);
} attempts[] = {
#define ATTEMPT(function) {#function, function}
    ATTEMPT(read_outside), ATTEMPT(write_outside), ATTEMPT(cut_outside), ATTEMPT(truncate_outside),
    ATTEMPT(make_outside), ATTEMPT(make_folder_outside), ATTEMPT(remove_outside), ATTEMPT(rename_out),
    ATTEMPT(rename_in), ATTEMPT(link_out), ATTEMPT(link_in), ATTEMPT(link_inside),
    ATTEMPT(link_followed), ATTEMPT(private_inside), ATTEMPT(mode_inside), ATTEMPT(rename_inside), ATTEMPT(write_inside), ATTEMPT(make_inside),
    ATTEMPT(remove_inside), ATTEMPT(symlink_inside), ATTEMPT(pipe_inside), ATTEMPT(device_inside),
    ATTEMPT(socket_inside), ATTEMPT(mode_outside), ATTEMPT(mode_by_descriptor), ATTEMPT(attribute_outside),
    ATTEMPT(list_root), ATTEMPT(watch_proc), ATTEMPT(inet), ATTEMPT(inet6), ATTEMPT(netlink), ATTEMPT(packet),
    ATTEMPT(unix_socket), ATTEMPT(wide_family), ATTEMPT(listen_anywhere), ATTEMPT(thread), ATTEMPT(new_process),
    ATTEMPT(new_process_3), ATTEMPT(new_namespace), ATTEMPT(execute_true), ATTEMPT(execute_false),
    ATTEMPT(execute_descriptor), ATTEMPT(trace_parent), ATTEMPT(read_parent), ATTEMPT(write_parent),
    ATTEMPT(signal_parent), ATTEMPT(signal_self), ATTEMPT(signal_parent_thread), ATTEMPT(take_descriptor),
    ATTEMPT(map_code), ATTEMPT(map_data), ATTEMPT(make_code), ATTEMPT(make_code_by_key), ATTEMPT(dump_memory),
    ATTEMPT(memory_file), ATTEMPT(dumpable), ATTEMPT(tracer), ATTEMPT(own_filter), ATTEMPT(become_other),
    ATTEMPT(capabilities), ATTEMPT(namespaces), ATTEMPT(other_namespace), ATTEMPT(mount_something),
    ATTEMPT(new_mount), ATTEMPT(root_folder), ATTEMPT(key), ATTEMPT(add_key), ATTEMPT(bpf_program),
    ATTEMPT(performance), ATTEMPT(faults), ATTEMPT(ring), ATTEMPT(handle), ATTEMPT(module), ATTEMPT(persona),
    ATTEMPT(type_ahead), ATTEMPT(own_signals), ATTEMPT(raise_limit), ATTEMPT(limit_of_parent), ATTEMPT(unknown),
    ATTEMPT(foreign_abi), ATTEMPT(old_abi),
};

long attempt(const char *name, const char *open_folder, const char *argument) {
    folder = open_folder;
    outside = argument;
    (void)snprintf(inside, sizeof inside, "%s/inside", folder);
    (void)snprintf(inside_new, sizeof inside_new, "%s/new", folder);
    for (size_t index = 0; index < sizeof attempts / sizeof attempts[0]; index++)
        if (strcmp(attempts[index].name, name) == 0) return attempts[index].make();
    return -2;
}
