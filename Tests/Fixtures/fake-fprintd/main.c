/* Stands in for fprintd on a test's own system bus, and for strangers on that bus.

     fake-fprintd fprintd              owns fprintd's name, and has one reader
     fake-fprintd stranger NAME PATH   owns no name; sends the program with that unique name ("" for all) the signals of
                                       a reader at that path

   It reads lines from standard input, and answers each with a line on standard output:

     fingers NAME...     enrolls only these fingers
     reader NAME         sets the reader's name; "none" removes the reader
     verify RESULT DONE  sends VerifyStatus, with done as 0 or 1
     busy 0|1            whether another program has claimed the reader
     mute 0|1            whether it answers no call
     refuse 0|1          whether it refuses a client every use of the reader
     state               "state 1 2": whether it is claimed, and verifying; then how often it was claimed
     path                the reader's path
     names               the unique names of the programs on the bus */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_service.h"

enum { MOST_FINGERS = 16 };
static const char *const manager_path = "/net/reactivated/Fprint/Manager", *const reader_path = "/net/reactivated/Fprint/Device/0";
static const char *const device_interface = "net.reactivated.Fprint.Device";
static char reader_name[512] = "Test Reader";
static char *fingers[MOST_FINGERS + 1];
static size_t finger_count;
static int is_busy, is_mute, is_refusing, is_claimed;
/* 1 during a verification; 2 after its result was sent. */
static int is_verifying;
static long claims;
/* The unique name of the program that has claimed the reader. */
static char owner[64];
static const char *emitted_path;

static void release_claim(void) { is_claimed = is_verifying = 0; }

/* Releases the claim of a program that has left the bus. */
static int owner_has_changed(sd_bus_message *message, void *data, sd_bus_error *error) {
    (void)data, (void)error;
    const char *name, *former, *new;
    if (sd_bus_message_read(message, "sss", &name, &former, &new) >= 0 && new[0] == 0 && strcmp(name, owner) == 0)
        release_claim();
    return 0;
}

static int refused(sd_bus_error *error, const char *name) {
    char full[128];
    (void)snprintf(full, sizeof full, "net.reactivated.Fprint.Error.%s", name);
    return sd_bus_error_set(error, full, "no");
}

static int is_reader(sd_bus_error *error) { return is_refusing ? refused(error, "PermissionDenied") : 0; }

static int get_device(sd_bus_message *call, void *data, sd_bus_error *error) {
    (void)data;
    if (is_mute) return 1;
    if (strcmp(reader_name, "none") == 0) return refused(error, "NoSuchDevice");
    return sd_bus_reply_method_return(call, "o", reader_path);
}

static int claim(sd_bus_message *call, void *data, sd_bus_error *error) {
    (void)data;
    const char *user;
    if (is_mute) return 1;
    fake_check(sd_bus_message_read(call, "s", &user), "claim");
    if (is_reader(error) < 0) return -EACCES;
    if (user[0] != 0) return refused(error, "PermissionDenied");
    if (is_busy || is_claimed) return refused(error, "AlreadyInUse");
    is_claimed = 1;
    claims++;
    (void)snprintf(owner, sizeof owner, "%s", sd_bus_message_get_sender(call));
    return sd_bus_reply_method_return(call, "");
}

static int release(sd_bus_message *call, void *data, sd_bus_error *error) {
    (void)data;
    if (is_mute) return 1;
    if (!is_claimed) return refused(error, "ClaimDevice");
    release_claim();
    return sd_bus_reply_method_return(call, "");
}

static int list(sd_bus_message *call, void *data, sd_bus_error *error) {
    (void)data;
    if (is_mute) return 1;
    if (is_reader(error) < 0) return -EACCES;
    if (finger_count == 0) return refused(error, "NoEnrolledPrints");
    sd_bus_message *reply = NULL;
    fake_check(sd_bus_message_new_method_return(call, &reply), "a list");
    fake_check(sd_bus_message_append_strv(reply, fingers), "a list");
    fake_check(sd_bus_send(fake_bus, reply, NULL), "a list");
    sd_bus_message_unref(reply);
    return 1;
}

static int start(sd_bus_message *call, void *data, sd_bus_error *error) {
    (void)data;
    if (is_mute) return 1;
    if (!is_claimed) return refused(error, "ClaimDevice");
    if (is_verifying) return refused(error, "AlreadyInUse");
    is_verifying = 1;
    return sd_bus_reply_method_return(call, "");
}

static int stop(sd_bus_message *call, void *data, sd_bus_error *error) {
    (void)data;
    if (is_mute) return 1;
    if (!is_verifying) return refused(error, "NoActionInProgress");
    is_verifying = 0;
    return sd_bus_reply_method_return(call, "");
}

static int get_name(
    sd_bus *at, const char *path, const char *interface, const char *name, sd_bus_message *reply, void *data,
    sd_bus_error *error) {
    (void)at, (void)path, (void)interface, (void)name, (void)data, (void)error;
    return sd_bus_message_append(reply, "s", reader_name);
}

static const sd_bus_vtable manager_table[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("GetDefaultDevice", "", "o", get_device, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};
static const sd_bus_vtable device_table[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("Claim", "s", "", claim, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("Release", "", "", release, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("ListEnrolledFingers", "s", "as", list, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("VerifyStart", "s", "", start, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("VerifyStop", "", "", stop, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_PROPERTY("name", "s", get_name, 0, SD_BUS_VTABLE_PROPERTY_CONST),
    SD_BUS_VTABLE_END,
};

static void emit(const char *result, int isDone) {
    sd_bus_message *message = fake_signal(emitted_path, device_interface, "VerifyStatus");
    fake_check(sd_bus_message_append(message, "sb", result, isDone), "a signal");
    fake_emit(message);
}

static void enrol(char *names) {
    while (finger_count > 0) free(fingers[--finger_count]);
    for (char *name = strtok(names, " "); name != NULL && finger_count < MOST_FINGERS; name = strtok(NULL, " "))
        fingers[finger_count++] = strdup(name);
    fingers[finger_count] = NULL;
}

static enum fake_outcome carry_out(char *line) {
    char word[64];
    int number = 0;
    if (strncmp(line, "fingers", 7) == 0) {
        enrol(line + 7);
    } else if (strncmp(line, "reader ", 7) == 0) {
        (void)snprintf(reader_name, sizeof reader_name, "%s", line + 7);
    } else if (sscanf(line, "verify %63s %d", word, &number) == 2) {
        if (number) is_verifying = is_verifying ? 2 : 0;
        emit(word, number);
    } else if (sscanf(line, "busy %d", &number) == 1) {
        is_busy = number;
    } else if (sscanf(line, "mute %d", &number) == 1) {
        is_mute = number;
    } else if (sscanf(line, "refuse %d", &number) == 1) {
        is_refusing = number;
    } else if (strcmp(line, "state") == 0) {
        fake_say("state %d %d %ld", is_claimed, is_verifying == 1, claims);
        return FAKE_SAID;
    } else if (strcmp(line, "path") == 0) {
        fake_say("%s", reader_path);
        return FAKE_SAID;
    } else {
        return FAKE_UNKNOWN;
    }
    return FAKE_DONE;
}

int main(int count, char **words) {
    if (count < 2) return 2;
    fake_begin("fake-fprintd");
    emitted_path = reader_path;
    if (strcmp(words[1], "fprintd") == 0) {
        fake_object(manager_path, "net.reactivated.Fprint.Manager", manager_table);
        fake_object(reader_path, device_interface, device_table);
        fake_check(
            sd_bus_match_signal(
                fake_bus, NULL, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                "NameOwnerChanged", owner_has_changed, NULL),
            "a rule");
        fake_check(sd_bus_request_name(fake_bus, "net.reactivated.Fprint", 0), "the name");
    } else if (count == 4) {
        fake_target = words[2];
        emitted_path = words[3];
    }
    return fake_serve(carry_out, 0);
}
