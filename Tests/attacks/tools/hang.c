/* Programs that block every process that looks at them. A file system of their own (FUSE, by the kernel's protocol in
   linux/fuse.h) holds their executable, a page of their memory or a descriptor, and stops answering once they run. A process
   that asks it then waits until it ends, and no signal ends the wait. */
#define _GNU_SOURCE
#include "attack.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS = 16, WATCHED_SECONDS = 2, NODE = 2, LARGEST_WRITE = 4096 };

/* The server and all programs on its file system share this state. */
static struct state {
    /* Once this is set, the server answers nothing. */
    _Atomic int is_silent;
    _Atomic int ready;
} *state;

static void nap(void) {
    struct timespec time = {0, 10000000};
    nanosleep(&time, NULL);
}

static void die_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL); }

/* ---- the file system: one folder with one program, `prog` ---- */

static char *image;
static size_t image_size;

static int read_image(void) {
    struct stat status;
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0) return -1;
    image_size = (size_t)status.st_size;
    image = mmap(NULL, image_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    close(file);
    return image == MAP_FAILED ? -1 : 0;
}

/* The kernel must not cache these attributes, so that each look asks the server. */
static struct fuse_attr attributes(uint64_t node) {
    struct fuse_attr attributes = {.ino = node, .nlink = 1, .uid = getuid(), .gid = getgid(), .blksize = 4096};
    attributes.mode = node == NODE ? S_IFREG | 0755 : S_IFDIR | 0755;
    attributes.size = node == NODE ? image_size : 0;
    return attributes;
}

static void answer(int device, uint64_t request, int error, const void *bytes, size_t size) {
    struct fuse_out_header head = {
        .len = (uint32_t)(sizeof head + (error ? 0 : size)), .error = -error, .unique = request};
    struct iovec pieces[] = {{&head, sizeof head}, {(void *)bytes, error ? 0 : size}};
    (void)!writev(device, pieces, 2);
}

static void serve(int device) {
    static char request[FUSE_MIN_READ_BUFFER + LARGEST_WRITE + 65536];
    for (;;) {
        ssize_t count = read(device, request, sizeof request);
        if (count < 0 && (errno == EINTR || errno == ENOENT || errno == EAGAIN)) continue;
        if (count < (ssize_t)sizeof(struct fuse_in_header)) return;
        struct fuse_in_header *head = (struct fuse_in_header *)request;
        void *words = head + 1;
        uint64_t id = head->unique;
        if (head->opcode == FUSE_FORGET || head->opcode == FUSE_BATCH_FORGET || head->opcode == FUSE_INTERRUPT) continue;
        if (state->is_silent) continue;
        switch (head->opcode) {
        case FUSE_INIT: {
            struct fuse_init_out out = {
                .major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_readahead = 0,
                .max_write = LARGEST_WRITE, .max_background = 64, .congestion_threshold = 48};
            answer(device, id, 0, &out, sizeof out);
            break;
        }
        case FUSE_LOOKUP:
            if (strcmp(words, "prog") == 0) {
                struct fuse_entry_out out = {.nodeid = NODE, .generation = 1, .attr = attributes(NODE)};
                answer(device, id, 0, &out, sizeof out);
            } else {
                answer(device, id, ENOENT, NULL, 0);
            }
            break;
        case FUSE_GETATTR: {
            struct fuse_attr_out out = {.attr = attributes(head->nodeid)};
            answer(device, id, 0, &out, sizeof out);
            break;
        }
        case FUSE_OPEN:
        case FUSE_OPENDIR: {
            struct fuse_open_out out = {.fh = 1, .open_flags = FOPEN_KEEP_CACHE};
            answer(device, id, 0, &out, sizeof out);
            break;
        }
        case FUSE_READ: {
            struct fuse_read_in *in = words;
            size_t size = in->offset >= image_size ? 0 : image_size - in->offset;
            answer(device, id, 0, image + in->offset, size < in->size ? size : in->size);
            break;
        }
        case FUSE_STATFS: {
            struct fuse_statfs_out out = {.st = {.bsize = 4096, .namelen = 255}};
            answer(device, id, 0, &out, sizeof out);
            break;
        }
        case FUSE_FLUSH:
        case FUSE_RELEASE:
        case FUSE_RELEASEDIR: answer(device, id, 0, NULL, 0); break;
        default: answer(device, id, ENOSYS, NULL, 0);
        }
    }
}

static int write_file(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    int result = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
    if (file >= 0) close(file);
    return result;
}

/* An ordinary user can mount in namespaces of their own. */
static int enter_namespaces(void) {
    char map[2][64];
    snprintf(map[0], sizeof map[0], "%d %d 1", getuid(), getuid());
    snprintf(map[1], sizeof map[1], "%d %d 1", getgid(), getgid());
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || write_file("/proc/self/uid_map", map[0]) != 0) return -1;
    if (write_file("/proc/self/setgroups", "deny") != 0) return -1;
    return write_file("/proc/self/gid_map", map[1]);
}

/* Mounts at `folder` and serves until its parent ends. Root mounts in the present namespace for `user`, as fusermount does. */
static pid_t start_server(const char *device_path, const char *folder, uid_t user) {
    int said[2];
    char error = 0;
    if (pipe2(said, O_CLOEXEC) != 0) return -1;
    pid_t server = fork();
    if (server != 0) {
        close(said[1]);
        int mounted = read(said[0], &error, 1) == 1 && error == 0;
        close(said[0]);
        if (!mounted) return errno = error, -1;
        return server;
    }
    die_with_parent();
    int device = -1;
    char options[128];
    if (geteuid() != 0 && enter_namespaces() != 0) error = (char)errno;
    if (!error && (device = open(device_path, O_RDWR | O_CLOEXEC)) < 0) error = (char)errno;
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=%d,group_id=%d", device, user, user);
    if (!error && mount("attack", folder, "fuse", MS_NOSUID | MS_NODEV, options) != 0) error = (char)errno;
    if (!error && geteuid() == 0 && (setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0))
        error = (char)errno;
    if (geteuid() == user) die_with_parent();
    (void)!write(said[1], &error, 1);
    if (!error) serve(device);
    _exit(0);
}

/* ---- the programs that hang ---- */

/* The program is the first object, so the iteration ends after it. */
static int touch_program(struct dl_phdr_info *object, size_t size, void *unused) {
    volatile char sum = 0;
    (void)size, (void)unused;
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[index];
        const char *start = (const char *)(object->dlpi_addr + part->p_vaddr);
        for (size_t at = 0; part->p_type == PT_LOAD && at < part->p_memsz; at += 4096) sum = (char)(sum + start[at]);
    }
    return 1;
}

static void become_ready(void) {
    state->ready++;
    while (!state->is_silent) nap();
}

/* Greets and asks over as many connections as are allowed, and waits only a moment for each answer. */
static void ask_once(const char *socket) {
    int ends[CONNECTIONS];
    for (int index = 0; index < CONNECTIONS; index++) {
        struct timeval patience = {0, 100000};
        ends[index] = keychain_connect(socket);
        if (ends[index] < 0) continue;
        setsockopt(ends[index], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        setsockopt(ends[index], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        if (keychain_greet(ends[index]) != 0) continue;
        (void)keychain_find(ends[index], "ada", (char[16]){0}, 16);
    }
    sleep(1);
    for (int index = 0; index < CONNECTIONS; index++)
        if (ends[index] >= 0) close(ends[index]);
}

/* Executes the program that is on the file system. */
static void run_from(const char *folder, const char *socket, char *numbers) {
    char path[256];
    snprintf(path, sizeof path, "%s/prog", folder);
    execl(path, "prog", "hung", socket, numbers, (char *)NULL);
    perror(path);
    _exit(1);
}

/* Executes a program. This closes a descriptor of the file system, and the kernel has to tell the file system so. */
static void execute_with(const char *folder, const char *socket) {
    char path[256];
    snprintf(path, sizeof path, "%s/prog", folder);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) _exit(1);
    int ends[CONNECTIONS];
    for (int index = 0; index < CONNECTIONS; index++) {
        ends[index] = keychain_connect(socket);
        if (ends[index] >= 0) fcntl(ends[index], F_SETFD, 0);
    }
    become_ready();
    for (int index = 0; index < CONNECTIONS; index++)
        if (ends[index] >= 0) (void)!greet_hello(ends[index]);
    execl("/proc/self/exe", "attack", "peer", (char *)NULL);
    _exit(1);
}

static void *read_own_page(void *page) {
    int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    char byte;
    (void)!pread(memory, &byte, 1, (off_t)(uintptr_t)page);
    return NULL;
}

static void *map_something(void *unused) {
    nap();
    nap();
    (void)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return unused;
}

/* Blocks its own memory map: one thread reads a page of the file, another waits to change the map, and every other process
   waits for that change. */
static void lock_memory(const char *folder, const char *socket) {
    char path[256];
    snprintf(path, sizeof path, "%s/prog", folder);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    void *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    if (file < 0 || page == MAP_FAILED) _exit(1);
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    int ends[CONNECTIONS];
    for (int index = 0; index < CONNECTIONS; index++) {
        ends[index] = keychain_connect(socket);
        if (ends[index] >= 0 && keychain_greet(ends[index]) != 0) ends[index] = -1;
    }
    char stack[16384];
    memset(stack, 1, sizeof stack);
    pthread_t threads[2];
    become_ready();
    pthread_create(&threads[0], NULL, read_own_page, page);
    pthread_create(&threads[1], NULL, map_something, stack);
    for (int count = 0; count < 10; count++) nap();
    for (int index = 0; index < CONNECTIONS; index++)
        if (ends[index] >= 0) (void)keychain_ask(ends[index], "ada", NULL);
    for (;;) pause();
}

/* hung SOCKET GO: the program on the file system. It prints that it runs, and waits until descriptor GO ends. */
int verb_hung(int count, char **words) {
    if (count != 2) return 2;
    char socket[256], byte;
    snprintf(socket, sizeof socket, "%s", words[0]);
    int go = atoi(words[1]);
    /* This loads every page that is needed later. */
    dl_iterate_phdr(touch_program, NULL);
    ask_once(socket);
    printf("ready\n");
    (void)!read(go, &byte, 1);
    /* The loop connects again after the daemon has closed or refused connections. */
    for (;;) ask_once(socket);
}

/* Returns how long a look at the file blocks, in seconds and at most WATCHED_SECONDS. */
static int kept_seconds(const char *path) {
    pid_t child = fork();
    if (child == 0) {
        struct stat status;
        die_with_parent();
        (void)!stat(path, &status);
        _exit(0);
    }
    for (int count = 0; count < WATCHED_SECONDS * 100; count++) {
        if (waitpid(child, NULL, WNOHANG) != 0) return count / 100;
        nap();
    }
    return WATCHED_SECONDS;
}

/* hang WAY SOCKET PROCESSES DEVICE FOLDER [USER]: attacks with that many processes until its input ends. WAY says what hangs:
   `program`, `exec` or `memory`. Root mounts the file system where all processes see it, other users in namespaces of their
   own. */
int verb_hang(int count, char **words) {
    if (count < 5 || count > 6) return 2;
    const char *way = words[0], *socket = words[1], *folder = words[4];
    uid_t user = count == 6 ? (uid_t)atoi(words[5]) : getuid();
    signal(SIGPIPE, SIG_IGN);
    state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (state == MAP_FAILED || read_image() != 0) return 1;
    pid_t server = start_server(words[3], folder, user);
    if (server < 0) return printf("no file system: %s\n", strerror(errno)), 0;
    if (geteuid() == 0 && (setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0)) return 1;
    prctl(PR_SET_DUMPABLE, 1);
    char place[256];
    if (count == 6) {
        snprintf(place, sizeof place, "%s", folder);
    } else {
        snprintf(place, sizeof place, "/proc/%d/root%s", server, folder);
    }
    int go[2], said[2];
    if (pipe(go) != 0 || pipe(said) != 0) return 1;
    int processes = atoi(words[2]);
    for (int process = 0; process < processes; process++) {
        if (fork() != 0) continue;
        die_with_parent();
        close(go[1]);
        close(said[0]);
        if (strcmp(way, "exec") == 0) execute_with(place, socket);
        if (strcmp(way, "memory") == 0) lock_memory(place, socket);
        char numbers[16];
        int own = fcntl(go[0], F_DUPFD, 50);
        snprintf(numbers, sizeof numbers, "%d", own);
        dup2(said[1], STDOUT_FILENO);
        if (strcmp(way, "program") == 0) run_from(place, socket, numbers);
        _exit(2);
    }
    close(go[0]);
    close(said[1]);
    /* Each process that executed the program prints a line. */
    FILE *lines = fdopen(said[0], "r");
    char line[64];
    if (strcmp(way, "program") == 0) {
        for (int process = 0; process < processes; process++)
            if (!fgets(line, sizeof line, lines)) return printf("not all run\n"), 0;
    } else {
        for (int left = 6000; left > 0 && state->ready < processes; left--) nap();
    }
    state->is_silent = 1;
    char path[512];
    snprintf(path, sizeof path, "%s/prog", place);
    close(go[1]);
    printf("kept %d\n", kept_seconds(path));
    for (int left = 50; left > 0; left--) nap();
    printf("hung\n");
    char byte;
    while (read(0, &byte, 1) > 0) {}
    kill(server, SIGKILL);
    return 0;
}
