#include "fake_service.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

sd_bus *fake_bus;
const char *fake_target;
static const char *program = "fake-service";

void fake_check(int result, const char *step) {
    if (result >= 0) return;
    fprintf(stderr, "%s: %s: %s\n", program, step, strerror(-result));
    exit(1);
}

void fake_say(const char *format, ...) {
    va_list values;
    va_start(values, format);
    vprintf(format, values);
    va_end(values);
    putchar('\n');
    fflush(stdout);
}

void fake_begin(const char *name) {
    program = name;
    fake_check(sd_bus_new(&fake_bus), "a bus");
    fake_check(sd_bus_set_address(fake_bus, "unix:path=/run/dbus/system_bus_socket"), "the address");
    fake_check(sd_bus_set_bus_client(fake_bus, 1), "a bus");
    fake_check(sd_bus_negotiate_fds(fake_bus, 1), "a bus");
    fake_check(sd_bus_start(fake_bus), "the bus");
}

void fake_object(const char *path, const char *interface, const sd_bus_vtable *table) {
    fake_check(sd_bus_add_object_vtable(fake_bus, NULL, path, interface, table, NULL), "a table");
}

sd_bus_message *fake_signal(const char *path, const char *interface, const char *member) {
    sd_bus_message *message = NULL;
    fake_check(sd_bus_message_new_signal(fake_bus, &message, path, interface, member), "a signal");
    if (fake_target != NULL && fake_target[0] != 0)
        fake_check(sd_bus_message_set_destination(message, fake_target), "its destination");
    return message;
}

void fake_emit(sd_bus_message *message) {
    fake_check(sd_bus_send(fake_bus, message, NULL), "sending");
    sd_bus_message_unref(message);
    fake_check(sd_bus_flush(fake_bus), "sending");
}

static void say_names(void) {
    sd_bus_message *reply = NULL;
    char **names = NULL;
    fake_check(
        sd_bus_call_method(
            fake_bus, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "ListNames", NULL, &reply, ""),
        "names");
    fake_check(sd_bus_message_read_strv(reply, &names), "names");
    const char *own = NULL;
    (void)sd_bus_get_unique_name(fake_bus, &own);
    for (char **name = names; *name != NULL; name++)
        if ((*name)[0] == ':' && strcmp(*name, own) != 0) printf("%s ", *name);
    fake_say("%s", "");
    sd_bus_message_unref(reply);
}

static void take(char *line, enum fake_outcome (*carry_out)(char *line)) {
    if (strcmp(line, "names") == 0) return say_names();
    switch (carry_out(line)) {
    case FAKE_DONE: return fake_say("done");
    case FAKE_SAID: return;
    case FAKE_UNKNOWN: break;
    }
    fprintf(stderr, "%s: %s?\n", program, line);
    exit(1);
}

/* Reads and carries out a line; 0 at the end of the input. */
static int read_lines(enum fake_outcome (*carry_out)(char *line)) {
    static char line[1024];
    static size_t length;
    char byte;
    ssize_t count = read(STDIN_FILENO, &byte, 1);
    if (count <= 0) return 0;
    if (byte == '\n') {
        line[length] = 0;
        length = 0;
        take(line, carry_out);
    } else if (length < sizeof line - 1) {
        line[length++] = byte;
    }
    return 1;
}

int fake_serve(enum fake_outcome (*carry_out)(char *line), int is_silent) {
    fake_say("ready");
    for (;;) {
        int result;
        if (is_silent && !read_lines(carry_out)) return 0;
        if (is_silent) continue;
        do {
            result = sd_bus_process(fake_bus, NULL);
            /* The bus has closed. */
            if (result < 0) return 0;
        } while (result > 0);
        struct pollfd watched[2] = {
            {.fd = STDIN_FILENO, .events = POLLIN},
            {.fd = sd_bus_get_fd(fake_bus), .events = (short)sd_bus_get_events(fake_bus)}};
        if (poll(watched, 2, -1) < 0 && errno != EINTR) return 1;
        if (watched[0].revents != 0 && !read_lines(carry_out)) return 0;
    }
}
