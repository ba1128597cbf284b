/* Floods, each limited in time, and the calls that an honest program makes meanwhile. */
#define _GNU_SOURCE
#include "attack.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CONNECTIONS = 20000, MOST_THREADS = 64, LARGEST_SECRET = 16 << 20, HONEST_SECRET = 2 << 20, MOST_SAMPLES = 1 << 20 };

static const char *path;
static long wanted;
static double end_of_flood;
static atomic_long done, lost;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int greeted(void) {
    int end = keychain_connect(path);
    if (end < 0) return -1;
    struct timeval patience = {10, 0};
    setsockopt(end, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (keychain_greet(end) == 0) return end;
    close(end);
    return -1;
}

static int is_open(int end) {
    struct pollfd event = {.fd = end, .events = POLLIN};
    return poll(&event, 1, 0) == 0;
}

static void wait_for_end_of_input(void) {
    char byte;
    while (read(0, &byte, 1) > 0) {}
}

/* Connects again and again, and keeps the connections that the daemon leaves open. */
static void connections(void) {
    static int ends[MOST_CONNECTIONS];
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    long open = 0, made = 0;
    for (; made < wanted && now() < end_of_flood; made++) {
        int end = keychain_connect(path);
        if (end < 0) continue;
        ends[open++] = end;
        /* Closed connections make room for new ones. */
        if (open == MOST_CONNECTIONS || open + 16 > (long)limit.rlim_cur) {
            long kept = 0;
            for (long index = 0; index < open; index++)
                if (is_open(ends[index])) ends[kept++] = ends[index];
                else close(ends[index]);
            open = kept;
        }
    }
    usleep(200000);
    long kept = 0;
    for (long index = 0; index < open; index++) kept += is_open(ends[index]);
    printf("made %ld kept %ld\n", made, kept);
    wait_for_end_of_input();
}

/* Starts processes with 16 connections each, which end the handshake and then send nothing. */
static void hoard(void) {
    int pipes[2];
    if (pipe(pipes) != 0) return;
    for (long process = 0; process < wanted; process++) {
        if (fork() != 0) continue;
        int ends[16];
        char got = 0;
        for (int index = 0; index < 16; index++) got += (ends[index] = greeted()) >= 0;
        if (write(pipes[1], &got, 1) < 0) _exit(1);
        close(pipes[1]);
        wait_for_end_of_input();
        _exit(0);
    }
    close(pipes[1]);
    long total = 0;
    char got;
    while (read(pipes[0], &got, 1) == 1) total += got;
    printf("kept %ld\n", total);
    wait_for_end_of_input();
}

/* Sends messages with descriptors that nobody reads. The kernel counts such descriptors for each user, and compares the count
   with the sender's limit of open files. */
static void descriptors(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    long sent = 0;
    int pair[2] = {-1, -1};
    for (int isFull = 1; sent < wanted && now() < end_of_flood;) {
        if (isFull && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0) break;
        isFull = frame_send(pair[0], (const uint8_t *)"", 0, 0) != 0;
        if (isFull && errno == ETOOMANYREFS) break;
        sent += !isFull;
    }
    printf("sent %ld\n", sent);
    wait_for_end_of_input();
}

static void *frames(void *unused) {
    (void)unused;
    char secret[64];
    int end = -1;
    while (now() < end_of_flood && atomic_load(&done) < wanted) {
        if (end < 0) end = greeted();
        if (end < 0 || keychain_find(end, "nobody", secret, sizeof secret) == STATUS_LOST) {
            atomic_fetch_add(&lost, 1);
            if (end >= 0) close(end);
            end = -1;
            usleep(1000);
            continue;
        }
        atomic_fetch_add(&done, 1);
    }
    return NULL;
}

static void *secrets(void *number) {
    char account[64];
    snprintf(account, sizeof account, "large %ld", (long)number);
    char *secret = calloc(1, LARGEST_SECRET);
    int end = -1;
    while (secret && now() < end_of_flood && atomic_load(&done) < wanted) {
        if (end < 0) end = greeted();
        if (end < 0 || keychain_add(end, account, secret, LARGEST_SECRET) != STATUS_SUCCESS
            || keychain_delete(end, account) != STATUS_SUCCESS) {
            atomic_fetch_add(&lost, 1);
            if (end >= 0) close(end);
            end = -1;
            usleep(10000);
            continue;
        }
        atomic_fetch_add(&done, 1);
    }
    free(secret);
    return NULL;
}

/* flood connections|hoard|descriptors|frames|secrets SOCKET COUNT SECONDS [THREADS] */
int verb_flood(int count, char **words) {
    if (count < 4) return 2;
    signal(SIGPIPE, SIG_IGN);
    path = words[1];
    wanted = atol(words[2]);
    end_of_flood = now() + atof(words[3]);
    int threads = count > 4 ? atoi(words[4]) : 1;
    if (strcmp(words[0], "connections") == 0) return connections(), 0;
    if (strcmp(words[0], "hoard") == 0) return hoard(), 0;
    if (strcmp(words[0], "descriptors") == 0) return descriptors(), 0;
    if (threads < 1 || threads > MOST_THREADS) return 2;
    pthread_t handles[MOST_THREADS];
    for (long index = 0; index < threads; index++)
        if (pthread_create(
                &handles[index], NULL, strcmp(words[0], "secrets") == 0 ? secrets : frames, (void *)index) != 0)
            return 1;
    for (int index = 0; index < threads; index++) pthread_join(handles[index], NULL);
    printf("done %ld lost %ld\n", (long)done, (long)lost);
    return 0;
}

static int compare(const void *one, const void *other) {
    float difference = *(const float *)one - *(const float *)other;
    return difference < 0 ? -1 : difference > 0;
}

/* Every round stores, reads and deletes a large secret, each over a connection of its own. */
static int large_calls(double until) {
    char *secret = calloc(1, HONEST_SECRET);
    char account[64];
    long calls = 0, failed = 0;
    double longest = 0;
    snprintf(account, sizeof account, "honest %d", getpid());
    for (int step = 0; secret && (now() < until || step > 0); step = (step + 1) % 3) {
        double start = now();
        int end = greeted();
        int status = end < 0 ? STATUS_LOST
            : step == 0      ? keychain_add(end, account, secret, HONEST_SECRET)
            : step == 1      ? keychain_find(end, account, NULL, 0)
                             : keychain_delete(end, account);
        if (end >= 0) close(end);
        calls++;
        failed += status != STATUS_SUCCESS;
        if (now() - start > longest) longest = now() - start;
        /* A secret that was not stored cannot be read, so the next round begins. */
        if (step == 0 && status != STATUS_SUCCESS) step = 2;
    }
    free(secret);
    printf("calls %ld failed %ld longest %.1f\n", calls, failed, longest);
    return 0;
}

/* calls SOCKET SECONDS [large]: reads ada's password again and again, with a new connection every hundred calls. Prints how
   many calls failed, and how long the calls took in microseconds. With the third word, it stores, reads and deletes a secret
   of 2 MiB, each over a new connection. */
int verb_calls(int count, char **words) {
    if (count != 2 && count != 3) return 2;
    signal(SIGPIPE, SIG_IGN);
    path = words[0];
    double until = now() + atof(words[1]);
    float *times = malloc(MOST_SAMPLES * sizeof *times);
    long calls = 0, failed = 0;
    int end = -1;
    if (count == 3) return large_calls(until);
    while (times && now() < until && calls < MOST_SAMPLES) {
        if (calls % 100 == 0 && end >= 0) {
            close(end);
            end = -1;
        }
        if (end < 0) end = greeted();
        char secret[64] = "";
        double start = now();
        int status = end < 0 ? STATUS_LOST : keychain_find(end, "ada", secret, sizeof secret);
        times[calls++] = (float)((now() - start) * 1e6);
        if (status == STATUS_SUCCESS && strcmp(secret, "s3cret of ada") == 0) continue;
        failed++;
        if (end >= 0) close(end);
        end = -1;
    }
    if (!times || calls == 0) return 1;
    qsort(times, (size_t)calls, sizeof *times, compare);
    printf("calls %ld failed %ld p50 %.0f p99 %.0f\n", calls, failed, times[calls / 2], times[calls * 99 / 100]);
    return 0;
}
