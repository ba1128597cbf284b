/* pam_chatelaine: unlocks a user's keychain with the password of the login, where the two are the same.

     auth       keeps the password that another module has asked for
     session    hands it to "security unlock --login", run as the user, once pam_systemd has made the runtime folder
     password   hands the old password and the new one to "security passcode change"

   Whatever goes wrong is harmless to the login: nothing here fails it, and nothing waits longer than PATIENCE. A user without a keychain
   gets none, and no passcode is ever set. A password goes through a pipe, never through an argument or the environment.

   Arguments: program=PATH, the command to run in the place of the installed one. */
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
    /* As many bytes as a passcode has at the most. */
    MOST_BYTES = 1024,
    /* LOGIN_NAME_MAX. */
    MOST_NAME = 256,
    /* Milliseconds for the command, which takes about 200: somebody waits for the login. */
    PATIENCE = 5000,
    /* Between two looks at whether it has ended. */
    PAUSE = 10,
    /* How long one that was killed is waited for. What hangs in the kernel is left to whoever comes after us. */
    LAST_PAUSE = 200,
    /* Groups of a user. */
    MOST_GROUPS = 1024,
    /* The descriptor that the command reads. */
    GIVEN = 3,
};

static const char data_name[] = "chatelaine_password";

/* A password in memory of its own: locked, in no core file, and empty in the children of the program. */
struct password {
    size_t count;
    char bytes[MOST_BYTES];
    /* Whose it is: a program such as sudo asks for one user's and opens the session of another. */
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

/* NULL for one that is empty or too long to be a passcode, for nobody's, and where there is no memory. */
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

/* All that the child needs, made before the fork: the program may have threads, and then little can be called after it. */
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
    /* Of pam_systemd. */
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
    /* Whoever is not root is the user, or nobody's business. */
    return getuid() == plan->user && geteuid() == plan->user ? 0 : -1;
}

/* The child's life. */
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
    /* Who has no keychain gets none. */
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

/* Waits until the child has ended, for so long: its exit status, or -1. */
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

/* Runs the command with what it is to read; its exit status, -1 where it did not end in time. */
static int run(struct plan *plan, const char *input, size_t size) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return 126;
    /* It has room for that, so that nobody is waited for, and above the descriptors that the child needs. */
    plan->input = fcntl(ends[0], F_DUPFD_CLOEXEC, GIVEN + 1);
    (void)close(ends[0]);
    ssize_t written = plan->input < 0 ? -1 : write(ends[1], input, size);
    (void)close(ends[1]);
    int result = 126;
    if (written == (ssize_t)size) {
        /* The program may let the system wait for its children, or wait for all of them itself. */
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

/* Both as lines, one after the other; 0 where one of them is none that a line can hold. */
static size_t lines_of(const struct password *const passwords[2], char *lines) {
    size_t size = 0;
    for (int index = 0; index < 2; index++) {
        if (passwords[index] == NULL) continue;
        /* Two lines would be taken for two passwords. */
        if (passwords[index]->count == 0 || memchr(passwords[index]->bytes, '\n', passwords[index]->count) != NULL) return 0;
        memcpy(lines + size, passwords[index]->bytes, passwords[index]->count);
        size += passwords[index]->count;
        lines[size++] = '\n';
    }
    return size;
}

/* Has the command read passwords, a line for each. */
static void hand_over(
    pam_handle_t *pam, int count, const char **arguments, const char *const *words, const struct password *first,
    const struct password *second) {
    struct plan plan = {.program = program(count, arguments), .words = words, .input = -1};
    const struct password *passwords[2] = {first, second};
    /* A pipe takes as much at once (pipe(7)). */
    char lines[2 * (MOST_BYTES + 1)];
    _Static_assert(sizeof lines <= PIPE_BUF, "more than a pipe takes at once");
    (void)mlock(lines, sizeof lines);
    /* Whatever becomes of it, what was copied is wiped below. */
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

/* ---- What PAM calls ---- */

/* Never success: who stands alone in a stack lets nobody in. */
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
    forget(pam, present, 0);
    forget(pam, next, 0);
    return PAM_IGNORE;
}
