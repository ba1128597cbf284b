/* Programs that announce passcodes (wire.md) and misbehave: they send other descriptors than sealed files in memory, too many
   of them, nothing at all, or wrong passcodes without end. */
#define _GNU_SOURCE
#include "attack.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS = 16, ROUNDS_OF_WRONG = 500, REPORT_BYTES = 256 };

/* The request to unlock is {0: 66}, and the frame of the present passcode is {0: 1}. */
static const uint8_t unlock[] = {0xA1, 0x00, 0x18, 0x42}, part[] = {0xA1, 0x00, 0x01};

static int sealed(const char *text) {
    int file = memfd_create("attack", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text)) return -1;
    return fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0 ? file : -1;
}

/* Makes a descriptor of a wrong kind; the other end of a pipe or socket stays in this process. */
static int odd(const char *way) {
    int ends[2] = {-1, -1};
    char path[64];
    if (strcmp(way, "silent") == 0 || strcmp(way, "closed") == 0) {
        if (pipe2(ends, O_CLOEXEC) != 0) return -1;
        if (strcmp(way, "closed") == 0) close(ends[1]);
        return ends[0];
    }
    if (strcmp(way, "socket") == 0) {
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
        return ends[0];
    }
    if (strcmp(way, "fifo") == 0) {
        snprintf(path, sizeof path, "/tmp/attack-fifo-%d", getpid());
        if (mkfifo(path, 0600) != 0) return -1;
        int file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
        unlink(path);
        return file;
    }
    return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

static int announce(const char *path) {
    uint8_t frame[REPORT_BYTES];
    int end = keychain_connect(path);
    if (end < 0) return -1;
    if (keychain_greet(end) == 0 && frame_send(end, unlock, sizeof unlock, -1) == 0
        && frame_receive(end, frame, sizeof frame) == 3)
        return end;
    close(end);
    return -1;
}

/* Runs until it is killed. Writes a byte to `heard` for each accepted announcement. */
static void be_odd(const char *way, const char *path, int heard) {
    uint8_t frame[4 + sizeof part] = {sizeof part};
    memcpy(frame + 4, part, sizeof part);
    for (int round = 0;; round++) {
        int end = announce(path);
        if (end < 0) {
            usleep(20000);
            continue;
        }
        (void)!write(heard, ".", 1);
        if (strcmp(way, "never") == 0) {
            /* Keeps as many connections as are allowed, each until the daemon ends it. */
            if (round % CONNECTIONS != CONNECTIONS - 1) continue;
            usleep(200000);
        } else {
            int file = odd(way);
            if (file >= 0) attach(end, frame, sizeof frame, file, strcmp(way, "many") == 0 ? 16 : 1, 0);
            char byte;
            (void)!recv(end, &byte, 1, 0);
            if (file >= 0) close(file);
        }
        close(end);
    }
}

/* Sends wrong passcodes as fast as they are answered, and prints how many were checked and how many were not. */
static int guess(const char *path) {
    int counts[4] = {0};
    for (int round = 0; round < ROUNDS_OF_WRONG; round++) {
        uint8_t frame[REPORT_BYTES];
        char text[32];
        snprintf(text, sizeof text, "guess %d", round);
        int end = announce(path), file = sealed(text);
        /* The reply is the header {0: 0}, then {0: outcome, …}. */
        if (end >= 0 && file >= 0 && frame_send(end, part, sizeof part, file) == 0
            && frame_receive(end, frame, sizeof frame) > 6 && frame[5] <= 3)
            counts[frame[5]]++;
        else
            counts[0]++;
        if (end >= 0) close(end);
        if (file >= 0) close(file);
    }
    return printf("right %d wrong %d delayed %d failed %d\n", counts[1], counts[2], counts[3], counts[0]) < 0;
}

/* passcodes guess SOCKET: guesses. passcodes WAY SOCKET PROCESSES: misbehaves in that way until the end of its input. */
int verb_passcodes(int count, char **words) {
    if (count == 2 && strcmp(words[0], "guess") == 0) return guess(words[1]);
    int heard[2];
    if (count != 3 || pipe2(heard, O_CLOEXEC) != 0) return 2;
    for (int index = 0; index < atoi(words[2]); index++) {
        if (fork() != 0) continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        be_odd(words[0], words[1], heard[1]);
    }
    char byte;
    if (read(heard[0], &byte, 1) != 1) return 1;
    printf("%s\n", words[0]);
    fflush(stdout);
    /* Further bytes of the processes are not read. The processes end with this one. */
    fcntl(heard[1], F_SETFL, O_NONBLOCK);
    while (read(STDIN_FILENO, &byte, 1) > 0) {}
    return 0;
}
