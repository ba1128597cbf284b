#define _GNU_SOURCE
#include "chatelaine_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "chatelaine_process.h"
#include "chatelaine_socket.h"

static int prepare_attributes(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawnattr_init(attributes);
    if (error == 0) error = posix_spawnattr_setsigmask(attributes, &none);
    if (error == 0) error = posix_spawnattr_setsigdefault(attributes, &all);
    return error;
}

static pid_t finish(int error, pid_t pid) {
    if (error == 0) return pid;
    errno = error;
    return -1;
}

pid_t chatelaine_spawn_detached(const char *path, char *const arguments[], char *const environment[]) {
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    pid_t pid = -1;
    int error = prepare_attributes(&attributes);
    if (error == 0)
        error = posix_spawnattr_setflags(
            &attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (error == 0) error = posix_spawn_file_actions_init(&actions);
    if (error == 0) error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, 0, 1);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, 0, 2);
    if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    if (error == 0) error = posix_spawn_file_actions_addchdir_np(&actions, "/");
    if (error == 0) error = posix_spawn(&pid, path, &actions, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return finish(error, pid);
}

pid_t chatelaine_spawn_with_channels(
    const char *path, char *const arguments[], char *const environment[], const int channels[], int count) {
    /* Moving an earlier channel to its place must not overwrite a later channel. */
    for (int index = 1; index < count; index++)
        if (channels[index] >= 3 && channels[index] < 3 + index) return finish(EBADF, -1);
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    pid_t pid = -1;
    int error = prepare_attributes(&attributes);
    if (error == 0) error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (error == 0) error = posix_spawn_file_actions_init(&actions);
    if (error == 0) error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, 0, 1);
    /* glibc clears close-on-exec for equal numbers, which dup2 onto itself would not do. */
    for (int index = 0; index < count && error == 0; index++)
        error = posix_spawn_file_actions_adddup2(&actions, channels[index], 3 + index);
    if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(&actions, 3 + count);
    if (error == 0) error = posix_spawn_file_actions_addchdir_np(&actions, "/");
    if (error == 0) error = posix_spawn(&pid, path, &actions, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return finish(error, pid);
}

pid_t chatelaine_spawn_with_channel(const char *path, char *const arguments[], char *const environment[], int channel) {
    return chatelaine_spawn_with_channels(path, arguments, environment, &channel, 1);
}

int chatelaine_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

ssize_t chatelaine_splice(int file, int pipe, size_t count) {
    return splice(file, NULL, pipe, NULL, count, SPLICE_F_NONBLOCK);
}

ssize_t chatelaine_tee(int pipe, int copy, size_t count) { return tee(pipe, copy, count, SPLICE_F_NONBLOCK); }

/* Runs in the child between fork and exec; it makes only calls that are safe there. */
static void execute_between(
    pid_t parent, const char *path, char *const arguments[], char *const environment[], int input, int output) {
    sigset_t none;
    sigemptyset(&none);
    /* Moves both above the standard descriptors first, which would otherwise overwrite them. */
    int in = fcntl(input, F_DUPFD, 3);
    int out = fcntl(output, F_DUPFD, 3);
    int nothing = open("/dev/null", O_RDWR);
    if (in < 0 || out < 0 || nothing < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(nothing, 2) < 0) return;
    chatelaine_close_from(3);
    for (int number = 1; number < NSIG; number++) (void)signal(number, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (chatelaine_die_with_parent(parent) != 0 || chdir("/") != 0) return;
    (void)execve(path, arguments, environment);
}

pid_t chatelaine_spawn_between(
    const char *path, char *const arguments[], char *const environment[], int input, int output) {
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid != 0) return pid;
    execute_between(parent, path, arguments, environment, input, output);
    _exit(127);
}

/* How long a killed process may still exist, in milliseconds. */
static const int painter_patience = 2000;

static void restore_terminal_after(const struct termios *former) {
    char byte;
    ssize_t count;
    do count = read(0, &byte, 1);
    while (count < 0 && errno == EINTR);
    if (count != 0) return;
    struct pollfd ended = {.fd = 2, .events = POLLIN};
    (void)poll(&ended, 1, painter_patience);
    (void)tcsetattr(1, TCSANOW, former);
}

pid_t chatelaine_keep_terminal(int terminal, const struct termios *former, pid_t painter, int *channel) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    int end = chatelaine_pidfd_open(painter);
    pid_t pid = fork();
    if (pid == 0) {
        /* All these descriptors are above 2. Without a pidfd, descriptor 2 stays /dev/null, and nothing is waited for.
           */
        if (dup2(ends[0], 0) < 0 || dup2(terminal, 1) < 0) _exit(1);
        if (end >= 0) (void)dup2(end, 2);
        chatelaine_close_from(3);
        restore_terminal_after(former);
        _exit(0);
    }
    int error = errno;
    if (end >= 0) (void)close(end);
    (void)close(ends[0]);
    if (pid < 0) (void)close(ends[1]);
    *channel = ends[1];
    errno = error;
    return pid;
}

int chatelaine_continue_in_background(void) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    pid_t child = fork();
    if (child < 0) {
        (void)close(ends[0]);
        (void)close(ends[1]);
        return -1;
    }
    if (child == 0) {
        (void)close(ends[0]);
        return ends[1];
    }
    (void)close(ends[1]);
    unsigned char status;
    ssize_t count;
    do count = read(ends[0], &status, 1);
    while (count < 0 && errno == EINTR);
    _exit(count == 1 ? status : CHATELAINE_DIED_EARLY);
}
