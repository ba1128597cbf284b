#define _GNU_SOURCE
#include "chatelaine_sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

_Static_assert(sizeof(struct chatelaine_instruction) == sizeof(struct sock_filter), "the kernel's layout");

int chatelaine_filter_install(const struct chatelaine_instruction *program, unsigned short count) {
    /* The kernel reads what it is given and keeps a copy. */
    struct sock_fprog filter = {.len = count, .filter = (struct sock_filter *)(uintptr_t)program};
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
    if (result <= 0) return (int)result;
    /* A positive result is the number of a thread that could not follow. */
    errno = EBUSY;
    return -1;
}

int chatelaine_filter_mode(void) { return prctl(PR_GET_SECCOMP, 0, 0, 0, 0); }

static _Atomic unsigned refusal_count;
static _Atomic int last_refusal = -1;

/* The name in the kernel's siginfo.h is missing in Debian 12's C library. */
enum { TRAPPED_BY_FILTER = 1 };

static void answer_refusal(int number, siginfo_t *information, void *context) {
    if (information->si_code != TRAPPED_BY_FILTER) {
        /* A SIGSYS from kill(2): no call waits for an answer, and the register below holds something else. The signal
           ends the process, as it would without this handler. */
        (void)signal(number, SIG_DFL);
        (void)raise(number);
        return;
    }
    ucontext_t *registers = context;
    atomic_store_explicit(&last_refusal, information->si_syscall, memory_order_relaxed);
    atomic_fetch_add_explicit(&refusal_count, 1, memory_order_relaxed);
#if defined(__x86_64__)
    registers->uc_mcontext.gregs[REG_RAX] = -information->si_errno;
#elif defined(__aarch64__)
    registers->uc_mcontext.regs[0] = (unsigned long long)-(long long)information->si_errno;
#else
#error "say here where this machine returns the result of a system call"
#endif
}

int chatelaine_refusals_handle(void) {
    struct sigaction action = {.sa_sigaction = answer_refusal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&action.sa_mask);
    return sigaction(SIGSYS, &action, NULL);
}

unsigned chatelaine_refusals(int *last) {
    *last = atomic_load_explicit(&last_refusal, memory_order_relaxed);
    return atomic_load_explicit(&refusal_count, memory_order_relaxed);
}

/* Debian 12's headers lack some of the kernel's newer features, so the structures are spelled out here. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif
#define RULE_PATH_BENEATH 1

struct ruleset_attributes {
    uint64_t files;
    uint64_t network;
    uint64_t scopes;
};

struct path_beneath {
    uint64_t rights;
    int32_t folder;
} __attribute__((packed));

int chatelaine_landlock_ruleset(uint64_t files, uint64_t network, uint64_t scopes) {
    struct ruleset_attributes attributes = {.files = files, .network = network, .scopes = scopes};
    /* An older kernel accepts a longer structure if the surplus is zero. */
    return (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
}

int chatelaine_landlock_allow(int ruleset, int folder, uint64_t rights) {
    struct path_beneath rule = {.rights = rights, .folder = folder};
    return (int)syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0);
}

int chatelaine_landlock_restrict(int ruleset) { return (int)syscall(SYS_landlock_restrict_self, ruleset, 0); }

int chatelaine_thread_count(void) {
    DIR *folder = opendir("/proc/self/task");
    if (!folder) return -1;
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
    (void)closedir(folder);
    return count;
}

static int get_capabilities(struct __user_cap_data_struct data[2]) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    return (int)syscall(SYS_capget, &header, data);
}

int chatelaine_keep_capabilities(uint64_t kept) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    if (get_capabilities(data) != 0) return -1;
    for (int half = 0; half < 2; half++) {
        data[half].permitted &= (uint32_t)(kept >> (32 * half));
        data[half].effective = data[half].permitted;
        data[half].inheritable = 0;
    }
    return (int)syscall(SYS_capset, &header, data);
}

uint64_t chatelaine_capabilities(void) {
    struct __user_cap_data_struct data[2];
    if (get_capabilities(data) != 0) return ~UINT64_C(0);
    return data[0].effective | (uint64_t)data[1].effective << 32;
}
