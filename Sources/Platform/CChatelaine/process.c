#define _GNU_SOURCE
#include "chatelaine_process.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_once_t memory_once = PTHREAD_ONCE_INIT;
static _Atomic pid_t *memory;

/* A page that the kernel clears in every child (Linux 4.14); without such a page getpid(2) is called each time. */
static void map_memory(void) {
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return;
    if (madvise(page, size, MADV_WIPEONFORK) == 0) {
        memory = page;
    } else {
        (void)munmap(page, size);
    }
}

pid_t chatelaine_process(void) {
    (void)pthread_once(&memory_once, map_memory);
    if (!memory) return getpid();
    pid_t process = atomic_load_explicit(memory, memory_order_relaxed);
    if (process == 0) {
        process = getpid();
        atomic_store_explicit(memory, process, memory_order_relaxed);
    }
    return process;
}

int chatelaine_set_not_dumpable(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

int chatelaine_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

static pid_t first_parent;

/* The signal also comes when only the parent's thread ends; this process has another parent only if the parent itself
   ended. */
static void end_without_parent(int signal) {
    (void)signal;
    if (getppid() != first_parent) _exit(0);
}

int chatelaine_end_with_parent(void) {
    first_parent = getppid();
    struct sigaction action = {.sa_handler = end_without_parent, .sa_flags = SA_RESTART};
    sigset_t mask;
    sigemptyset(&action.sa_mask);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    if (sigaction(SIGUSR1, &action, NULL) != 0 || sigprocmask(SIG_UNBLOCK, &mask, NULL) != 0) return -1;
    return prctl(PR_SET_PDEATHSIG, SIGUSR1, 0, 0, 0);
}

int chatelaine_die_with_parent(pid_t parent) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return -1;
    return getppid() == parent ? 0 : -1;
}

/* The error number of reading one byte of the table; 0 where the read succeeds. */
static int read_one_byte(int table) {
    char byte;
    return pread(table, &byte, 1, 0) < 0 ? errno : 0;
}

int chatelaine_memory_tables_answer_at_once(void) {
    int ready[2];
    if (pipe2(ready, O_CLOEXEC) != 0) return 0;
    pid_t child = fork();
    if (child == 0) {
        /* A process that is not dumpable cannot be inspected. This one holds nothing worth hiding. */
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        (void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
        (void)!write(ready[1], "", 1);
        for (;;) (void)pause();
    }
    (void)close(ready[1]);
    int table = -1, there = 0;
    if (child > 0) {
        char path[32], byte;
        (void)snprintf(path, sizeof path, "/proc/%d/pagemap", child);
        if (read(ready[0], &byte, 1) == 1) table = open(path, O_RDONLY | O_CLOEXEC);
        there = table < 0 ? 0 : read_one_byte(table);
        (void)kill(child, SIGKILL);
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    (void)close(ready[0]);
    if (table < 0) return 0;
    int gone = read_one_byte(table);
    (void)close(table);
    return there == EINVAL && gone == 0;
}

int chatelaine_set_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

int chatelaine_is_secure_execution(void) { return getauxval(AT_SECURE) != 0; }

void chatelaine_close_from(int first) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0) == 0) return;
#endif
    long limit = sysconf(_SC_OPEN_MAX);
    if (limit < 0 || limit > 65536) limit = 65536;
    for (int descriptor = first; descriptor < limit; descriptor++) (void)close(descriptor);
}

const char *chatelaine_code_path(void) {
    Dl_info information;
    struct link_map *map = NULL;
    if (dladdr1((const void *)&chatelaine_code_path, &information, (void **)&map, RTLD_DL_LINKMAP) == 0) return NULL;
    /* The program itself has no name in the map. dladdr(3) would give its argv[0], which its parent chooses. */
    return map != NULL && map->l_name != NULL && map->l_name[0] == '/' ? map->l_name : NULL;
}

int chatelaine_set_processors(pid_t thread, int one) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (one) {
        CPU_SET(0, &set);
    } else {
        for (int processor = 0; processor < CPU_SETSIZE; processor++) CPU_SET(processor, &set);
    }
    return sched_setaffinity(thread, sizeof set, &set);
}
