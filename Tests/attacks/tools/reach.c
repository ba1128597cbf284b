/* Attempts of one process to reach another: each verb prints what it reached, and nothing if it reached nothing. */
#define _GNU_SOURCE
#include "attack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void trace(pid_t pid) {
    if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) == 0) {
        printf("attached\n");
        waitpid(pid, NULL, __WALL);
        ptrace(PTRACE_DETACH, pid, NULL, NULL);
    }
    if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0) printf("seized\n");
}

/* Tries the entries of /proc/PID that show memory, descriptors, environment or addresses of the running code. */
static void look(pid_t pid) {
    static const char *const files[] = {"mem",   "maps",  "smaps",   "environ", "auxv",
                                        "stack", "syscall", "pagemap", "numa_maps", "timers"};
    static const char *const links[] = {"exe", "cwd", "root", "fd/0", "fd/3"};
    static const char *const folders[] = {"fd", "fdinfo", "map_files"};
    char path[PATH_MAX], target[PATH_MAX];
    for (size_t index = 0; index < sizeof files / sizeof files[0]; index++) {
        snprintf(path, sizeof path, "/proc/%d/%s", pid, files[index]);
        int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file >= 0 && (read(file, target, 1) > 0 || strcmp(files[index], "mem") == 0)) printf("%s\n", files[index]);
        if (file >= 0) close(file);
    }
    for (size_t index = 0; index < sizeof links / sizeof links[0]; index++) {
        snprintf(path, sizeof path, "/proc/%d/%s", pid, links[index]);
        if (readlink(path, target, sizeof target) > 0) printf("%s\n", links[index]);
    }
    for (size_t index = 0; index < sizeof folders / sizeof folders[0]; index++) {
        snprintf(path, sizeof path, "/proc/%d/%s", pid, folders[index]);
        DIR *folder = opendir(path);
        if (folder) printf("%s\n", folders[index]);
        if (folder) closedir(folder);
    }
    snprintf(path, sizeof path, "/proc/%d/mem", pid);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file >= 0) printf("mem, to write\n");
    if (file >= 0) close(file);
}

/* Tries system calls that need no file. A missing address is EFAULT only if the process may be read. */
static void copy(pid_t pid) {
    char byte;
    struct iovec here = {&byte, 1}, there = {&byte, 1};
    errno = 0;
    if (process_vm_readv(pid, &here, 1, &there, 1, 0) >= 0 || errno == EFAULT) printf("memory read\n");
    errno = 0;
    if (process_vm_writev(pid, &here, 1, &there, 1, 0) >= 0 || errno == EFAULT) printf("memory written\n");
    int handle = (int)syscall(SYS_pidfd_open, pid, 0);
    for (int number = 0; handle >= 0 && number < 64; number++) {
        int copied = (int)syscall(SYS_pidfd_getfd, handle, number, 0);
        if (copied >= 0) printf("descriptor %d\n", number);
        if (copied >= 0) close(copied);
    }
    /* Lowering limits is no attack: a process that may end the other one may also do this. */
    struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY}, small = {1, 1};
    if (prlimit(pid, RLIMIT_CORE, &unlimited, NULL) == 0 || prlimit(pid, RLIMIT_CORE, &small, NULL) == 0)
        printf("limits raised\n");
}

/* reach trace|look|copy PID */
int verb_reach(int count, char **words) {
    if (count != 2) return 2;
    pid_t pid = atoi(words[1]);
    if (pid <= 0 || (kill(pid, 0) != 0 && errno == ESRCH)) return 2;
    if (strcmp(words[0], "trace") == 0) trace(pid);
    if (strcmp(words[0], "look") == 0) look(pid);
    if (strcmp(words[0], "copy") == 0) copy(pid);
    return 0;
}

/* crash SIGNAL PROGRAM …: runs a program with unlimited core files, sends it the signal when a line comes, and prints how
   it ended. */
int verb_crash(int count, char **words) {
    if (count < 2) return 2;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit;
        getrlimit(RLIMIT_CORE, &limit);
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_CORE, &limit);
        execv(words[1], words + 1);
        _exit(127);
    }
    char line[16];
    int status = 0;
    if (!fgets(line, sizeof line, stdin)) return 2;
    kill(child, atoi(words[0]));
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) printf("signal %d, core %s\n", WTERMSIG(status), WCOREDUMP(status) ? "yes" : "no");
    if (WIFEXITED(status)) printf("status %d\n", WEXITSTATUS(status));
    return 0;
}

/* scan PID TEXT…: prints where the process has one of the texts in its writable memory. `0x…` are bytes. */
int verb_scan(int count, char **words) {
    if (count < 2) return 2;
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%s/mem", words[0]);
    int memory = open(path, O_RDONLY | O_CLOEXEC);
    snprintf(path, sizeof path, "/proc/%s/maps", words[0]);
    FILE *maps = fopen(path, "re");
    if (memory < 0 || !maps) return 1;
    while (fgets(line, sizeof line, maps)) {
        unsigned long first, last;
        char rights[8], name[256] = "";
        if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %255s", &first, &last, rights, name) < 3 || rights[1] != 'w') continue;
        char *bytes = malloc(last - first);
        ssize_t length = bytes ? pread(memory, bytes, last - first, (off_t)first) : -1;
        for (int index = 1; index < count && length > 0; index++) {
            uint8_t wanted[256];
            size_t size = 0;
            const char *word = words[index];
            if (strncmp(word, "0x", 2) == 0)
                for (word += 2; word[0] && word[1] && size < sizeof wanted; word += 2) {
                    unsigned byte = 0;
                    sscanf(word, "%2x", &byte);
                    wanted[size++] = (uint8_t)byte;
                }
            else
                for (; word[size] && size < sizeof wanted; size++) wanted[size] = (uint8_t)word[size];
            if (size > 0 && memmem(bytes, (size_t)length, wanted, size)) printf("%d at %lx %s\n", index, first, name);
        }
        free(bytes);
    }
    return 0;
}

static int is_named(pid_t pid, const char *wanted) {
    char path[64], name[64] = "";
    snprintf(path, sizeof path, "/proc/%d/comm", pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, name, sizeof name - 1);
    if (file >= 0) close(file);
    return length > 1 && strncmp(name, wanted, (size_t)length - 1) == 0;
}

/* catch PARENT NAME: stops the next child of a process as soon as the child executes that program, and prints its id. A child
   that has done so already, or is dead and not gone yet, is not the next one. Gives up after some seconds, since on a busy
   machine a short process can start and end between two looks. */
int verb_catch(int count, char **words) {
    enum { MOST_FORMER = 32 };
    if (count != 2) return 2;
    char path[PATH_MAX], text[256];
    pid_t former[MOST_FORMER];
    size_t formers = 0;
    snprintf(path, sizeof path, "/proc/%s/task/%s/children", words[0], words[0]);
    int children = open(path, O_RDONLY | O_CLOEXEC), has_begun = 0;
    if (children < 0) return perror(path), 1;
    for (time_t end_of_patience = time(NULL) + 15; time(NULL) < end_of_patience;) {
        ssize_t size = pread(children, text, sizeof text - 1, 0);
        if (size < 0) return perror(path), 1;
        text[size] = 0;
        for (char *next = text, *end; *next; next = end) {
            pid_t pid = (pid_t)strtol(next, &end, 10);
            if (end == next) break;
            size_t index = 0;
            while (index < formers && former[index] != pid) index++;
            if (index < formers || !is_named(pid, words[1])) continue;
            if (!has_begun && formers < MOST_FORMER) {
                former[formers++] = pid;
            } else if (kill(pid, SIGSTOP) == 0) {
                printf("%d\n", pid);
                return 0;
            }
        }
        if (!has_begun) printf("begun\n");
        has_begun = 1;
    }
    return 0;
}
