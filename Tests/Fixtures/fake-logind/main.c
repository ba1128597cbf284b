/* Stands in for logind on a test's own system bus, and for strangers on that bus.

     fake-logind logind UID [SILENT]   owns logind's name; with SILENT it answers no call
     fake-logind stranger NAME         owns no name; sends signals to the program with that unique name ("" for all)

   It reads lines from standard input, and answers each with a line on standard output:

     lock, lock-other    sends Session.Lock of the user's session, or of another user's
     hint, hint-other    signals that LockedHint of that session becomes true
     locked              makes LockedHint true for programs that read it
     refuse              refuses to list sessions
     unlock              sends Session.Unlock
     sleep, wake         sends PrepareForSleep
     idle SECONDS        makes the user's sessions idle for that time; with -1 they are not idle
     inhibitors          the number of inhibitors that programs hold
     names               the unique names of the programs on the bus
     junk COUNT BYTES    sends COUNT signals of BYTES bytes each */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fake_service.h"

enum { MOST_INHIBITORS = 64 };
static const char *const manager_path = "/org/freedesktop/login1";
static const char *const own_session = "/org/freedesktop/login1/session/_31", *const other_session = "/org/freedesktop/login1/session/_32";
static uint32_t user;
static int is_preparing, is_locked, is_refusing;
static uint64_t idle_since;
static int inhibitors[MOST_INHIBITORS];

static int inhibit(sd_bus_message *call, void *data, sd_bus_error *error) {
    (void)data;
    const char *what, *who, *why, *mode;
    int pair[2];
    fake_check(sd_bus_message_read(call, "ssss", &what, &who, &why, &mode), "inhibit");
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
    (void)data;
    if (is_refusing) return sd_bus_error_set(error, SD_BUS_ERROR_ACCESS_DENIED, "no");
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

static void emit_session(const char *path, const char *member) {
    fake_emit(fake_signal(path, "org.freedesktop.login1.Session", member));
}

static void emit_hint(const char *path) {
    sd_bus_message *message = fake_signal(path, "org.freedesktop.DBus.Properties", "PropertiesChanged");
    fake_check(
        sd_bus_message_append(
            message, "sa{sv}as", "org.freedesktop.login1.Session", 2, "Active", "b", 1, "LockedHint", "b", 1, 0),
        "a hint");
    fake_emit(message);
}

static void emit_sleep(int isBeginning) {
    is_preparing = isBeginning;
    sd_bus_message *message = fake_signal(manager_path, "org.freedesktop.login1.Manager", "PrepareForSleep");
    fake_check(sd_bus_message_append(message, "b", isBeginning), "a sleep");
    fake_emit(message);
}

static long held(void) {
    long count = 0;
    for (int index = 0; index < MOST_INHIBITORS; index++) {
        struct pollfd end = {.fd = inhibitors[index], .events = POLLIN};
        if (inhibitors[index] == 0) continue;
        /* The holder has closed the other end, which releases the inhibitor. */
        if (poll(&end, 1, 0) > 0) {
            close(inhibitors[index]);
            inhibitors[index] = 0;
        } else {
            count++;
        }
    }
    return count;
}

static void emit_junk(long count, long size) {
    char *text = malloc((size_t)size + 1);
    if (text == NULL) exit(1);
    memset(text, 'x', (size_t)size);
    text[size] = 0;
    for (long index = 0; index < count; index++) {
        sd_bus_message *message = fake_signal("/junk", "org.example.Junk", "Junk");
        fake_check(sd_bus_message_append(message, "s", text), "junk");
        fake_emit(message);
    }
    free(text);
}

static enum fake_outcome carry_out(char *line) {
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
    } else if (strcmp(line, "refuse") == 0) {
        is_refusing = 1;
    } else if (strcmp(line, "sleep") == 0) {
        emit_sleep(1);
    } else if (strcmp(line, "wake") == 0) {
        emit_sleep(0);
    } else if (strcmp(line, "inhibitors") == 0) {
        fake_say("inhibitors %ld", held());
        return FAKE_SAID;
    } else if (sscanf(line, "idle %ld", &first) == 1) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        idle_since = first < 0 ? 0 : (uint64_t)(now.tv_sec - first) * 1000000 + (uint64_t)now.tv_nsec / 1000;
    } else if (sscanf(line, "junk %ld %ld", &first, &second) == 2) {
        emit_junk(first, second);
    } else {
        return FAKE_UNKNOWN;
    }
    return FAKE_DONE;
}

int main(int count, char **words) {
    if (count < 3) return 2;
    fake_begin("fake-logind");
    if (strcmp(words[1], "logind") != 0) {
        fake_target = words[2];
        return fake_serve(carry_out, 0);
    }
    char path[64];
    user = (uint32_t)strtoul(words[2], NULL, 10);
    (void)snprintf(path, sizeof path, "%s/user/_3%u", manager_path, user);
    fake_object(manager_path, "org.freedesktop.login1.Manager", manager_table);
    fake_object(own_session, "org.freedesktop.login1.Session", session_table);
    fake_object(other_session, "org.freedesktop.login1.Session", session_table);
    fake_object(path, "org.freedesktop.login1.User", user_table);
    fake_check(sd_bus_request_name(fake_bus, "org.freedesktop.login1", 0), "the name");
    return fake_serve(carry_out, count > 3);
}
