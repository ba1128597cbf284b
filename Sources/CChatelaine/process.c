#define _GNU_SOURCE
#include "chatelaine_process.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_once_t memory_once = PTHREAD_ONCE_INIT;
static _Atomic pid_t *memory;

/* A page that the kernel clears in every child (Linux 4.14); without one the system is asked each time. */
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

/* The signal comes when the parent's thread ends as well as when the parent does; only then is there another parent. */
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
    Dl_info code, program;
    if (dladdr((const void *)&chatelaine_code_path, &code) == 0) return NULL;
    /* For the program itself the loader knows its first argument only, which is whatever its caller chose. */
    if (dladdr((const void *)getauxval(AT_ENTRY), &program) != 0 && program.dli_fbase == code.dli_fbase) return "/proc/self/exe";
    return code.dli_fname;
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
