#ifndef CHATELAINE_PROCESS_H
#define CHATELAINE_PROCESS_H

#include <sys/types.h>

/* The process id, as from getpid(2), with one system call in each process. */
pid_t chatelaine_process(void);
/* Forbids core dumps, ptrace by the same user and /proc/PID reading: prctl(PR_SET_DUMPABLE, 0). */
int chatelaine_set_not_dumpable(void);
/* 0 if the process is not dumpable: prctl(PR_GET_DUMPABLE). */
int chatelaine_is_dumpable(void);
/* Ends this process when its parent dies. PR_SET_PDEATHSIG alone would also end it with the thread that started it.
   Uses SIGUSR1. */
int chatelaine_end_with_parent(void);
/* prctl(PR_SET_NO_NEW_PRIVS, 1). */
int chatelaine_set_no_new_privileges(void);
/* The set-user-ID and set-group-ID flag of the auxiliary vector (AT_SECURE), as getauxval(3) gives it. */
int chatelaine_is_secure_execution(void);
/* Closes every descriptor from `first` up: close_range(2), or one by one where the kernel lacks it. */
void chatelaine_close_from(int first);
/* Whether reading a byte of /proc/PID/pagemap, the table of a process's memory, fails with EINVAL while the memory
   exists and gives the end of the file afterwards. 1 or 0, tried on a process that this call makes and ends. */
int chatelaine_memory_tables_answer_at_once(void);
/* Has the kernel kill this process when its parent ends; the parent must have one thread. -1 where the parent has ended
   already. */
int chatelaine_die_with_parent(pid_t parent);
/* Lets a thread run on processor 0 alone, or on all: sched_setaffinity(2). */
int chatelaine_set_processors(pid_t thread, int one);
/* The shared library that this code was loaded from, as the loader found it. NULL where the code is part of the
   program, or where the loader found it by a relative path, which means nothing in another folder. */
const char *chatelaine_code_path(void);

#endif
