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

/* Applies a filter to every thread of this process: seccomp(2) with SECCOMP_FILTER_FLAG_TSYNC. 0, or -1 and errno;
   EBUSY where a thread's own filter prevents it. */
int chatelaine_filter_install(const struct chatelaine_instruction *program, unsigned short count);
/* 2 under a filter (PR_GET_SECCOMP), 0 without one, -1 where the kernel does not support filters. */
int chatelaine_filter_mode(void);
/* Installs a handler for calls that the filter traps (SECCOMP_RET_TRAP): it counts them and answers with the error in
   the filter's data. */
int chatelaine_refusals_handle(void);
/* How many calls were refused so far; `last` gets the number of the last one, -1 where there is none. */
unsigned chatelaine_refusals(int *last);

/* landlock_create_ruleset(2): a close-on-exec descriptor for rules about the rights in the three masks. */
int chatelaine_landlock_ruleset(uint64_t files, uint64_t network, uint64_t scopes);
/* landlock_add_rule(2): allows `rights` beneath the file or folder that is open as `folder`. */
int chatelaine_landlock_allow(int ruleset, int folder, uint64_t rights);
/* landlock_restrict_self(2): applies to the calling thread, and those that it starts. */
int chatelaine_landlock_restrict(int ruleset);
/* The number of threads of this process, or -1. */
int chatelaine_thread_count(void);

/* prctl(PR_GET_NO_NEW_PRIVS). */
int chatelaine_has_no_new_privileges(void);
/* Gives up every capability that is not a bit of `kept`: capset(2). An ordinary user has none anyway. */
int chatelaine_keep_capabilities(uint64_t kept);
/* The effective capabilities; all bits where they cannot be read. */
uint64_t chatelaine_capabilities(void);
/* The dynamic loader that the running program names (PT_INTERP); NULL for a static program. */
const char *chatelaine_program_loader(void);
/* Sets the name of this process in process lists: prctl(PR_SET_NAME), 15 bytes. */
void chatelaine_set_name(const char *name);

/* Removes every variable from the environment except those in the list, which ends in NULL. Call it while there is one
   thread. */
int chatelaine_environment_keep(const char *const names[]);

/* The settings that make glibc overwrite freed memory: no cache before the code that does it, and a byte to write
   (Memory Allocation Tunables in the manual of the GNU C Library). glibc reads them only at the start of a process. */
#define CHATELAINE_ALLOCATOR_VARIABLE "GLIBC_TUNABLES"
#define CHATELAINE_ALLOCATOR_SETTINGS "glibc.malloc.tcache_count=0:glibc.malloc.perturb=165"
/* Whether blocks of some sizes lose their content when they are freed; it is tried and not assumed. */
int chatelaine_freed_memory_is_overwritten(void);
/* Executes the running program again, with its arguments and the present environment. Returns only on failure, with -1
   and errno. */
int chatelaine_execute_again(char *const arguments[]);

/* Forks a helper that keeps only the standard descriptors, one end of a socket pair as descriptor 3, and `shared` as
   descriptor 4 unless it is -1. Returns 0 in the helper, and its pid in the caller, which gets the other end in
   `channel`. Call it while there is one thread. */
pid_t chatelaine_helper_fork(int shared, int *channel);

#endif
