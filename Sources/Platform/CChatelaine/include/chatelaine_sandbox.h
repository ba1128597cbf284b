#ifndef CHATELAINE_SANDBOX_H
#define CHATELAINE_SANDBOX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One instruction of a seccomp filter: struct sock_filter of linux/filter.h. */
struct chatelaine_instruction {
    uint16_t code;
    uint8_t jump_true;
    uint8_t jump_false;
    uint32_t constant;
};

/* Puts a filter on every thread of this process: seccomp(2) with SECCOMP_FILTER_FLAG_TSYNC. 0, or -1 and errno; EBUSY
   where a thread has a filter of its own that is in the way. */
int chatelaine_filter_install(const struct chatelaine_instruction *program, unsigned short count);
/* 2 under a filter (PR_GET_SECCOMP), 0 without one, -1 where the kernel does not know. */
int chatelaine_filter_mode(void);
/* Has a system call that the filter traps (SECCOMP_RET_TRAP) counted and answered with the error in the filter's data. */
int chatelaine_refusals_handle(void);
/* How many calls were refused so far, and the number of the last one, -1 where there is none. */
unsigned chatelaine_refusals(int *last);

/* landlock_create_ruleset(2): a close-on-exec descriptor for rules about what the three masks name. */
int chatelaine_landlock_ruleset(uint64_t files, uint64_t network, uint64_t scopes);
/* landlock_add_rule(2): `rights` beneath the file or folder that is open as `folder`. */
int chatelaine_landlock_allow(int ruleset, int folder, uint64_t rights);
/* landlock_restrict_self(2): the calling thread, and those that it starts. */
int chatelaine_landlock_restrict(int ruleset);
/* Threads of this process, or -1. */
int chatelaine_thread_count(void);

/* prctl(PR_GET_NO_NEW_PRIVS). */
int chatelaine_has_no_new_privileges(void);
/* Gives up every capability that is not a bit of `kept`: capset(2). An ordinary user has none to begin with. */
int chatelaine_keep_capabilities(uint64_t kept);
/* The effective capabilities; all bits where they cannot be had. */
uint64_t chatelaine_capabilities(void);
/* The dynamic loader that the running program asks for (PT_INTERP); NULL for a static one. */
const char *chatelaine_program_loader(void);
/* The name of this process in process lists: prctl(PR_SET_NAME), 15 bytes. */
void chatelaine_set_name(const char *name);

/* Takes every variable out of the environment but those named; the list ends in NULL. While there is one thread. */
int chatelaine_environment_keep(const char *const names[]);

/* What makes glibc overwrite memory as it is freed: no cache in front of the code that does it, and a byte to do it with
   (Memory Allocation Tunables in the manual of the GNU C Library). Read at the start of a process only. */
#define CHATELAINE_ALLOCATOR_VARIABLE "GLIBC_TUNABLES"
#define CHATELAINE_ALLOCATOR_SETTINGS "glibc.malloc.tcache_count=0:glibc.malloc.perturb=165"
/* Whether blocks of some sizes lose what they held when they are freed; tried, not assumed. */
int chatelaine_freed_memory_is_overwritten(void);
/* Executes the running program again, with its arguments and the present environment; returns -1 and errno, or not. */
int chatelaine_execute_again(char *const arguments[]);

/* Forks a helper that has nothing of this process but the standard descriptors, one end of a socket pair, as
   descriptor 3, and `shared` as descriptor 4 unless that is -1. Returns 0 in the helper, its pid in the caller, who finds the other end in `channel`. Call it while
   there is one thread. */
pid_t chatelaine_helper_fork(int shared, int *channel);

#endif
