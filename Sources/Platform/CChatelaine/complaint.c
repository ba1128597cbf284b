// For fcntl.h, signal.h and unistd.h.
#define _GNU_SOURCE

#include "chatelaine_complaint.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Written before there is a second thread.
static bool was_open;
static struct stat at_first;

__attribute__((constructor)) static void look(void) { was_open = fstat(STDERR_FILENO, &at_first) == 0; }

static bool is_ours_to_write(void) {
    struct stat now;
    if (!was_open || fstat(STDERR_FILENO, &now) != 0) return false;
    if (now.st_dev != at_first.st_dev || now.st_ino != at_first.st_ino || now.st_rdev != at_first.st_rdev) return false;
    // A standard error that closes on exec was opened by this program itself, which was started without one.
    int flags = fcntl(STDERR_FILENO, F_GETFD), mode = fcntl(STDERR_FILENO, F_GETFL);
    return flags >= 0 && !(flags & FD_CLOEXEC) && mode >= 0 && (mode & O_ACCMODE) != O_RDONLY;
}

void chatelaine_complain(const char *line, size_t length) {
    int saved = errno;
    if (is_ours_to_write()) {
        // A closed pipe, or a file at its size limit, raises a signal in this thread, which must not reach the program.
        static const struct timespec at_once = {0, 0};
        sigset_t writing, before, pending;
        sigemptyset(&writing);
        sigaddset(&writing, SIGPIPE);
        sigaddset(&writing, SIGXFSZ);
        sigpending(&pending);
        pthread_sigmask(SIG_BLOCK, &writing, &before);
        ssize_t written;
        do written = write(STDERR_FILENO, line, length);
        while (written < 0 && errno == EINTR);
        int signal = written >= 0 ? 0 : errno == EPIPE ? SIGPIPE : errno == EFBIG ? SIGXFSZ : 0;
        if (signal != 0 && !sigismember(&pending, signal)) {
            sigemptyset(&writing);
            sigaddset(&writing, signal);
            while (sigtimedwait(&writing, NULL, &at_once) < 0 && errno == EINTR) {}
        }
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    errno = saved;
}
