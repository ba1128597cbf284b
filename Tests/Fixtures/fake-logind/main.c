/* Stands in for logind on a system bus of a test's own, and for strangers on it.

     fake-logind logind UID [SILENT]   owns logind's name; with SILENT it answers nobody
     fake-logind stranger NAME         owns nothing, and sends what it is told to the program of that unique name ("" for all)

   It reads lines from standard input, and says on standard output what came of them, a line each:

     lock, lock-other    Session.Lock of the user's session, or of another user's
     hint, hint-other    LockedHint of it becomes true
     locked              it is true for who asks
     unlock              Session.Unlock
     sleep, wake         PrepareForSleep
     idle SECONDS        the user's sessions have been idle for so long; -1: are not
     inhibitors          how many are held
     names               the unique names of those who hear the bus
     junk COUNT BYTES    so many signals of so many bytes */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <time.h>
#include <unistd.h>

enum { MOST_INHIBITORS = 64 };
static const char *const manager_path = "/org/freedesktop/login1";
static const char *const own_session = "/org/freedesktop/login1/session/_31", *const other_session = "/org/freedesktop/login1/session/_32";
static sd_bus *bus;
static uint32_t user;
static const char *target;
static int is_silent, is_preparing, is_locked;
static uint64_t idle_since;
static int inhibitors[MOST_INHIBITORS];

static void check(int result, const char *step) {
    if (result >= 0) return;
    fprintf(stderr, "fake-logind: %s: %s\n", step, strerror(-result));
    exit(1);
}

static void say(const char *text, long number) {
    printf("%s %ld\n", text, number);
    fflush(stdout);
}

static int inhibit(sd_bus_message *call, void *data, sd_bus_error *error) {
    (void)data;
    const char *what, *who, *why, *mode;
    int pair[2];
    check(sd_bus_message_read(call, "ssss", &what, &who, &why, &mode), "inhibit");
    if (is_preparing) return sd_bus_error_set(error, "org.freedesktop.login1.OperationInProgress", "too late");
    if (strcmp(what, "sleep") != 0 || strcmp(mode, "delay") != 0) return -EINVAL;
    if (pipe2(pair, O_CLOEXEC) != 0) return -errno;
    for (int index = 0; index < MOST_INHIBITORS; index++)
        if (inhibitors[index] == 0) {
            inhibitors[index] = pair[0];
            break;
        }
    int result = sd_bus_reply_method_return(call, "h", pair[1]);
    close(pair[1]);
    return result;
}

static int list_sessions(sd_bus_message *call, void *data, sd_bus_error *error) {
    (void)data, (void)error;
    return sd_bus_reply_method_return(
        call, "a(susso)", 2, "1", user, "me", "seat0", own_session, "2", user + 1, "other", "", other_session);
}

static int get_flag(
    sd_bus *at, const char *path, const char *interface, const char *name, sd_bus_message *reply, void *data,
    sd_bus_error *error) {
    (void)at, (void)path, (void)interface, (void)data, (void)error;
    int flag = strcmp(name, "PreparingForSleep") == 0 ? is_preparing : strcmp(name, "IdleHint") == 0 ? idle_since > 0 : is_locked;
    return sd_bus_message_append(reply, "b", flag);
}

static int get_since(
    sd_bus *at, const char *path, const char *interface, const char *name, sd_bus_message *reply, void *data,
    sd_bus_error *error) {
    (void)at, (void)path, (void)interface, (void)name, (void)data, (void)error;
    return sd_bus_message_append(reply, "t", idle_since);
}

static int get_user(
    sd_bus *at, const char *path, const char *interface, const char *name, sd_bus_message *reply, void *data,
    sd_bus_error *error) {
    (void)at, (void)interface, (void)name, (void)data, (void)error;
    return sd_bus_message_append(reply, "(uo)", strcmp(path, own_session) == 0 ? user : user + 1, manager_path);
}

static const sd_bus_vtable manager_table[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("Inhibit", "ssss", "h", inhibit, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("ListSessions", "", "a(susso)", list_sessions, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_PROPERTY("PreparingForSleep", "b", get_flag, 0, 0),
    SD_BUS_VTABLE_END,
};
static const sd_bus_vtable session_table[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_PROPERTY("User", "(uo)", get_user, 0, 0),
    SD_BUS_PROPERTY("LockedHint", "b", get_flag, 0, 0),
    SD_BUS_VTABLE_END,
};
static const sd_bus_vtable user_table[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_PROPERTY("IdleHint", "b", get_flag, 0, 0),
    SD_BUS_PROPERTY("IdleSinceHintMonotonic", "t", get_since, 0, 0),
    SD_BUS_VTABLE_END,
};

static sd_bus_message *signal_at(const char *path, const char *interface, const char *member) {
    sd_bus_message *message = NULL;
    check(sd_bus_message_new_signal(bus, &message, path, interface, member), "a signal");
    if (target != NULL && target[0] != 0) check(sd_bus_message_set_destination(message, target), "its destination");
    return message;
}

static void emit(sd_bus_message *message) {
    check(sd_bus_send(bus, message, NULL), "sending");
    sd_bus_message_unref(message);
    check(sd_bus_flush(bus), "sending");
}

static void emit_session(const char *path, const char *member) {
    emit(signal_at(path, "org.freedesktop.login1.Session", member));
}

static void emit_hint(const char *path) {
    sd_bus_message *message = signal_at(path, "org.freedesktop.DBus.Properties", "PropertiesChanged");
    check(
        sd_bus_message_append(
            message, "sa{sv}as", "org.freedesktop.login1.Session", 2, "Active", "b", 1, "LockedHint", "b", 1, 0),
        "a hint");
    emit(message);
}

static void emit_sleep(int isBeginning) {
    is_preparing = isBeginning;
    sd_bus_message *message = signal_at(manager_path, "org.freedesktop.login1.Manager", "PrepareForSleep");
    check(sd_bus_message_append(message, "b", isBeginning), "a sleep");
    emit(message);
}

static long held(void) {
    long count = 0;
    for (int index = 0; index < MOST_INHIBITORS; index++) {
        struct pollfd end = {.fd = inhibitors[index], .events = POLLIN};
        if (inhibitors[index] == 0) continue;
        /* Let go of, when the other end is closed. */
        if (poll(&end, 1, 0) > 0) {
            close(inhibitors[index]);
            inhibitors[index] = 0;
        } else {
            count++;
        }
    }
    return count;
}

static void say_names(void) {
    sd_bus_message *reply = NULL;
    char **names = NULL;
    check(
        sd_bus_call_method(
            bus, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "ListNames", NULL, &reply, ""),
        "names");
    check(sd_bus_message_read_strv(reply, &names), "names");
    const char *own = NULL;
    (void)sd_bus_get_unique_name(bus, &own);
    for (char **name = names; *name != NULL; name++)
        if ((*name)[0] == ':' && strcmp(*name, own) != 0) printf("%s ", *name);
    printf("\n");
    fflush(stdout);
    sd_bus_message_unref(reply);
}

static void emit_junk(long count, long size) {
    char *text = malloc((size_t)size + 1);
    if (text == NULL) exit(1);
    memset(text, 'x', (size_t)size);
    text[size] = 0;
    for (long index = 0; index < count; index++) {
        sd_bus_message *message = signal_at("/junk", "org.example.Junk", "Junk");
        check(sd_bus_message_append(message, "s", text), "junk");
        emit(message);
    }
    free(text);
}

static void carry_out(const char *line) {
    long first = 0, second = 0;
    if (strcmp(line, "lock") == 0) {
        emit_session(own_session, "Lock");
    } else if (strcmp(line, "lock-other") == 0) {
        emit_session(other_session, "Lock");
    } else if (strcmp(line, "unlock") == 0) {
        emit_session(own_session, "Unlock");
    } else if (strcmp(line, "hint") == 0) {
        emit_hint(own_session);
    } else if (strcmp(line, "hint-other") == 0) {
        emit_hint(other_session);
    } else if (strcmp(line, "locked") == 0) {
        is_locked = 1;
    } else if (strcmp(line, "sleep") == 0) {
        emit_sleep(1);
    } else if (strcmp(line, "wake") == 0) {
        emit_sleep(0);
    } else if (strcmp(line, "inhibitors") == 0) {
        return say("inhibitors", held());
    } else if (strcmp(line, "names") == 0) {
        return say_names();
    } else if (sscanf(line, "idle %ld", &first) == 1) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        idle_since = first < 0 ? 0 : (uint64_t)(now.tv_sec - first) * 1000000 + (uint64_t)now.tv_nsec / 1000;
    } else if (sscanf(line, "junk %ld %ld", &first, &second) == 2) {
        emit_junk(first, second);
    } else {
        fprintf(stderr, "fake-logind: %s?\n", line);
        exit(1);
    }
    say("done", 0);
}

/* 0 at the end of the input. */
static int read_lines(void) {
    static char line[256];
    static size_t length;
    char byte;
    ssize_t count = read(STDIN_FILENO, &byte, 1);
    if (count <= 0) return 0;
    if (byte == '\n') {
        line[length] = 0;
        length = 0;
        carry_out(line);
    } else if (length < sizeof line - 1) {
        line[length++] = byte;
    }
    return 1;
}

int main(int count, char **words) {
    if (count < 3) return 2;
    check(sd_bus_new(&bus), "a bus");
    check(sd_bus_set_address(bus, "unix:path=/run/dbus/system_bus_socket"), "the address");
    check(sd_bus_set_bus_client(bus, 1), "a bus");
    check(sd_bus_negotiate_fds(bus, 1), "a bus");
    check(sd_bus_start(bus), "the bus");
    if (strcmp(words[1], "logind") == 0) {
        char path[64];
        user = (uint32_t)strtoul(words[2], NULL, 10);
        is_silent = count > 3;
        (void)snprintf(path, sizeof path, "%s/user/_3%u", manager_path, user);
        check(sd_bus_add_object_vtable(bus, NULL, manager_path, "org.freedesktop.login1.Manager", manager_table, NULL), "a table");
        check(sd_bus_add_object_vtable(bus, NULL, own_session, "org.freedesktop.login1.Session", session_table, NULL), "a table");
        check(sd_bus_add_object_vtable(bus, NULL, other_session, "org.freedesktop.login1.Session", session_table, NULL), "a table");
        check(sd_bus_add_object_vtable(bus, NULL, path, "org.freedesktop.login1.User", user_table, NULL), "a table");
        check(sd_bus_request_name(bus, "org.freedesktop.login1", 0), "the name");
    } else {
        target = words[2];
    }
    say("ready", 0);
    for (;;) {
        int result;
        if (is_silent && !read_lines()) return 0;
        if (is_silent) continue;
        do {
            result = sd_bus_process(bus, NULL);
            /* The bus has gone: so do we. */
            if (result < 0) return 0;
        } while (result > 0);
        struct pollfd watched[2] = {
            {.fd = STDIN_FILENO, .events = POLLIN}, {.fd = sd_bus_get_fd(bus), .events = (short)sd_bus_get_events(bus)}};
        if (poll(watched, 2, -1) < 0 && errno != EINTR) return 1;
        if (watched[0].revents != 0 && !read_lines()) return 0;
    }
}
