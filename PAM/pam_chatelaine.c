/* pam_chatelaine: unlocks a user's keychain with the password of the login, where the two are the same.

     auth       keeps the password that another module has asked for
     session    passes it to "security unlock --login", run as the user, once pam_systemd has made the runtime folder
     password   passes the old password and the new one to "security passcode change"

   No error here fails the login, and the module never waits longer than PATIENCE. It creates no keychain for a user who
   has none, and never sets a passcode where there is none. A password goes through a pipe, never through an argument or
   the environment.

   Arguments: program=PATH, the command to run instead of the installed one. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include <security/pam_ext.h>
#include <security/pam_modules.h>

#ifndef SECURITY_PROGRAM
#define SECURITY_PROGRAM "/usr/bin/security"
#endif

enum {
    /* The maximum length of a passcode, in bytes. */
    MOST_BYTES = 1024,
    /* The size of a user name with its zero byte: LOGIN_NAME_MAX. */
    MOST_NAME = 256,
    /* The time limit of the command in milliseconds: a person waits for the login. The command takes about 200. */
    PATIENCE = 5000,
    /* Milliseconds between two checks whether the command has ended. */
    PAUSE = 10,
    /* Milliseconds to wait for a killed command. One that hangs in the kernel is left for another process to reap. */
    LAST_PAUSE = 200,
    /* The maximum number of a user's groups. */
    MOST_GROUPS = 1024,
    /* The descriptor from which the command reads passwords. */
    GIVEN = 3,
};

static const char data_name[] = "chatelaine_password";

/* A password in its own memory mapping, which is locked, left out of core files, and zeroed in child processes. */
struct password {
    size_t count;
    char bytes[MOST_BYTES];
    /* The owner of the password: a program such as sudo asks for one user's and opens the session of another user. */
    char user[MOST_NAME];
};

static void forget(pam_handle_t *pam, void *data, int status) {
    (void)pam, (void)status;
    if (data == NULL) return;
    explicit_bzero(data, sizeof(struct password));
    (void)munmap(data, sizeof(struct password));
}

static const char *user_name(pam_handle_t *pam) {
    const void *name = NULL;
    return pam_get_item(pam, PAM_USER, &name) == PAM_SUCCESS ? name : NULL;
}

/* Copies a password. NULL where it is empty, or longer than a passcode, where PAM has no user, and without memory. */
static struct password *keep(pam_handle_t *pam, const char *text) {
    const char *user = user_name(pam);
    size_t count = text == NULL ? 0 : strnlen(text, MOST_BYTES + 1);
    if (count == 0 || count > MOST_BYTES || user == NULL || strnlen(user, MOST_NAME) == MOST_NAME) return NULL;
    struct password *kept =
        mmap(NULL, sizeof *kept, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (kept == MAP_FAILED) return NULL;
    (void)mlock(kept, sizeof *kept);
    (void)madvise(kept, sizeof *kept, MADV_DONTDUMP);
    (void)madvise(kept, sizeof *kept, MADV_WIPEONFORK);
    memcpy(kept->bytes, text, count);
    memcpy(kept->user, user, strlen(user) + 1);
    kept->count = count;
    return kept;
}

/* ---- The command ---- */

/* All that the child needs. It is made before the fork: if the program has threads, its child may make few calls. */
struct plan {
    const char *program;
    const char *const *words;
    uid_t user;
    gid_t group;
    gid_t groups[MOST_GROUPS];
    int group_count;
    char keys[PATH_MAX];
    char home[PATH_MAX + 8];
    char runtime[PATH_MAX + 32];
    const char *environment[5];
    int input;
};

static int fill(char *place, size_t size, const char *format, const char *text) {
    int length = snprintf(place, size, format, text);
    return length >= 0 && (size_t)length < size ? 0 : -1;
}

static const char *program(int count, const char **words) {
    for (int index = 0; index < count; index++)
        if (strncmp(words[index], "program=/", 9) == 0) return words[index] + 8;
    return SECURITY_PROGRAM;
}

static int make_plan(pam_handle_t *pam, struct plan *plan) {
    const char *name = user_name(pam);
    char buffer[16384];
    struct passwd entry, *found = NULL;
    if (name == NULL) return -1;
    if (getpwnam_r(name, &entry, buffer, sizeof buffer, &found) != 0 || found == NULL) return -1;
    if (found->pw_dir == NULL || found->pw_dir[0] != '/') return -1;
    plan->user = found->pw_uid;
    plan->group = found->pw_gid;
    plan->group_count = MOST_GROUPS;
    if (getgrouplist(name, found->pw_gid, plan->groups, &plan->group_count) < 0) return -1;
    if (fill(plan->keys, sizeof plan->keys, "%s/.local/state/chatelaine/enclave", found->pw_dir) != 0) return -1;
    if (fill(plan->home, sizeof plan->home, "HOME=%s", found->pw_dir) != 0) return -1;
    size_t last = 0;
    plan->environment[last++] = plan->home;
    plan->environment[last++] = "PATH=/usr/bin:/bin";
    plan->environment[last++] = "LC_ALL=C.UTF-8";
    /* pam_systemd sets this variable. */
    const char *runtime = pam_getenv(pam, "XDG_RUNTIME_DIR");
    if (runtime != NULL && runtime[0] == '/' && fill(plan->runtime, sizeof plan->runtime, "XDG_RUNTIME_DIR=%s", runtime) == 0)
        plan->environment[last++] = plan->runtime;
    plan->environment[last] = NULL;
    return 0;
}

static void close_from(unsigned first) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, ~0u, 0) == 0) return;
#endif
    for (int number = (int)first; number < 65536; number++) (void)close(number);
}

static int become(const struct plan *plan) {
    if (geteuid() == 0) {
        if (setgroups((size_t)plan->group_count, plan->groups) != 0) return -1;
        if (setresgid(plan->group, plan->group, plan->group) != 0) return -1;
        if (setresuid(plan->user, plan->user, plan->user) != 0) return -1;
    }
    /* A process that is not root serves only its own user. */
    return getuid() == plan->user && geteuid() == plan->user ? 0 : -1;
}

/* Runs in the child: clears signals and descriptors, drops privileges, and starts the command. */
static void execute(const struct plan *plan) {
    struct sigaction usual = {.sa_handler = SIG_DFL};
    struct rlimit none = {0, 0};
    sigset_t open_signals;
    struct stat status;
    for (int number = 1; number < NSIG; number++) (void)sigaction(number, &usual, NULL);
    sigemptyset(&open_signals);
    (void)sigprocmask(SIG_SETMASK, &open_signals, NULL);
    (void)setsid();
    if (dup2(plan->input, GIVEN) != GIVEN) _exit(126);
    close_from(GIVEN + 1);
    int null = open("/dev/null", O_RDWR);
    if (null < 0 || dup2(null, 0) != 0 || dup2(null, 1) != 1 || dup2(null, 2) != 2) _exit(126);
    if (null > GIVEN) (void)close(null);
    if (become(plan) != 0) _exit(126);
    (void)umask(077);
    (void)setrlimit(RLIMIT_CORE, &none);
    if (chdir("/") != 0) _exit(126);
    /* A user without a keychain gets none. */
    if (lstat(plan->keys, &status) != 0 || !S_ISDIR(status.st_mode)) _exit(0);
    execve(plan->program, (char *const *)plan->words, (char *const *)plan->environment);
    _exit(127);
}

static void rest(void) {
    struct timespec pause = {.tv_nsec = PAUSE * 1000000L};
    (void)nanosleep(&pause, NULL);
}

static long now(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Waits at most patience milliseconds for the end of the child. Returns its exit status, or -1 where time ran out. */
static int await(pid_t child, long patience) {
    long end = now() + patience;
    for (;;) {
        int status = 0;
        pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
        if (ended < 0 && errno != EINTR) return 128;
        if (now() >= end) return -1;
        rest();
    }
}

/* Runs the command with its input. Returns its exit status, or -1 where it did not end in time. */
static int run(struct plan *plan, const char *input, size_t size) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return 126;
    /* The input fits into the pipe, so the write never blocks. The child uses the descriptors up to GIVEN itself. */
    plan->input = fcntl(ends[0], F_DUPFD_CLOEXEC, GIVEN + 1);
    (void)close(ends[0]);
    ssize_t written = plan->input < 0 ? -1 : write(ends[1], input, size);
    (void)close(ends[1]);
    int result = 126;
    if (written == (ssize_t)size) {
        /* The program may ignore SIGCHLD, or have a handler that waits for all children; either would reap ours. */
        struct sigaction usual = {.sa_handler = SIG_DFL}, former;
        int isSet = sigaction(SIGCHLD, &usual, &former) == 0;
        pid_t child = fork();
        if (child == 0) execute(plan);
        if (child > 0) {
            result = await(child, PATIENCE);
            if (result < 0) {
                (void)kill(child, SIGKILL);
                (void)await(child, LAST_PAUSE);
            }
        }
        if (isSet) (void)sigaction(SIGCHLD, &former, NULL);
    }
    if (plan->input >= 0) (void)close(plan->input);
    return result;
}

/* Writes the passwords as lines. Returns their size, or 0 where a password is empty or has a newline. */
static size_t lines_of(const struct password *const passwords[2], char *lines) {
    size_t size = 0;
    for (int index = 0; index < 2; index++) {
        if (passwords[index] == NULL) continue;
        /* The command would read two lines as two passwords. */
        if (passwords[index]->count == 0 || memchr(passwords[index]->bytes, '\n', passwords[index]->count) != NULL) return 0;
        memcpy(lines + size, passwords[index]->bytes, passwords[index]->count);
        size += passwords[index]->count;
        lines[size++] = '\n';
    }
    return size;
}

/* Runs the command and passes it the passwords, a line for each. */
static void hand_over(
    pam_handle_t *pam, int count, const char **arguments, const char *const *words, const struct password *first,
    const struct password *second) {
    struct plan plan = {.program = program(count, arguments), .words = words, .input = -1};
    const struct password *passwords[2] = {first, second};
    /* A pipe takes PIPE_BUF bytes in one write (pipe(7)). */
    char lines[2 * (MOST_BYTES + 1)];
    _Static_assert(sizeof lines <= PIPE_BUF, "more than a pipe takes at once");
    (void)mlock(lines, sizeof lines);
    /* The copies are wiped below, even where the command does not run. */
    size_t size = lines_of(passwords, lines);
    if (size > 0 && make_plan(pam, &plan) == 0) {
        int status = run(&plan, lines, size);
        if (status < 0) {
            pam_syslog(pam, LOG_DEBUG, "the keychain did not answer in time");
        } else if (status > 0) {
            pam_syslog(pam, LOG_DEBUG, "security %s ended with status %d", words[1], status);
        }
    }
    explicit_bzero(lines, sizeof lines);
    (void)munlock(lines, sizeof lines);
}

/* ---- The functions that PAM calls ---- */

/* Keeps the password. Never returns success, so that a stack with only this module lets nobody in. */
int pam_sm_authenticate(pam_handle_t *pam, int flags, int count, const char **arguments) {
    (void)flags, (void)count, (void)arguments;
    const void *token = NULL;
    if (pam_get_item(pam, PAM_AUTHTOK, &token) != PAM_SUCCESS) return PAM_IGNORE;
    struct password *kept = keep(pam, token);
    if (kept != NULL && pam_set_data(pam, data_name, kept, forget) != PAM_SUCCESS) forget(pam, kept, 0);
    return PAM_IGNORE;
}

int pam_sm_setcred(pam_handle_t *pam, int flags, int count, const char **arguments) {
    (void)pam, (void)flags, (void)count, (void)arguments;
    return PAM_IGNORE;
}

int pam_sm_open_session(pam_handle_t *pam, int flags, int count, const char **arguments) {
    static const char *const words[] = {"security", "unlock", "--login", "--descriptor", "3", NULL};
    const void *data = NULL;
    (void)flags;
    if (pam_get_data(pam, data_name, &data) != PAM_SUCCESS || data == NULL) return PAM_SUCCESS;
    const struct password *kept = data;
    const char *user = user_name(pam);
    if (user != NULL && strcmp(user, kept->user) == 0) hand_over(pam, count, arguments, words, kept, NULL);
    (void)pam_set_data(pam, data_name, NULL, NULL);
    return PAM_SUCCESS;
}

int pam_sm_close_session(pam_handle_t *pam, int flags, int count, const char **arguments) {
    (void)pam, (void)flags, (void)count, (void)arguments;
    return PAM_SUCCESS;
}

int pam_sm_chauthtok(pam_handle_t *pam, int flags, int count, const char **arguments) {
    static const char *const words[] = {"security", "passcode", "change", "--descriptor", "3", NULL};
    const void *old = NULL, *new = NULL;
    if ((flags & PAM_UPDATE_AUTHTOK) == 0) return PAM_IGNORE;
    if (pam_get_item(pam, PAM_OLDAUTHTOK, &old) != PAM_SUCCESS || pam_get_item(pam, PAM_AUTHTOK, &new) != PAM_SUCCESS)
        return PAM_IGNORE;
    struct password *present = keep(pam, old), *next = keep(pam, new);
    if (present != NULL && next != NULL) hand_over(pam, count, arguments, words, present, next);
    /* An expired password is changed between the authentication and the session, which needs the new one. */
    const void *kept = NULL;
    if (next != NULL && pam_get_data(pam, data_name, &kept) == PAM_SUCCESS && kept != NULL &&
        pam_set_data(pam, data_name, next, forget) == PAM_SUCCESS)
        next = NULL;
    forget(pam, present, 0);
    forget(pam, next, 0);
    return PAM_IGNORE;
}
