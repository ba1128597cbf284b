#define _GNU_SOURCE
#include "CSystemBus.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-bus.h>

#define EVERY_FUNCTION(F) \
    F(sd_bus_new) F(sd_bus_set_address) F(sd_bus_set_bus_client) F(sd_bus_negotiate_fds) F(sd_bus_start) F(sd_bus_close) \
    F(sd_bus_unref) F(sd_bus_is_ready) F(sd_bus_get_fd) F(sd_bus_get_events) F(sd_bus_process) F(sd_bus_send) \
    F(sd_bus_message_new_method_call) F(sd_bus_message_append_basic) F(sd_bus_message_set_auto_start) \
    F(sd_bus_message_unref) F(sd_bus_message_get_type) F(sd_bus_message_get_reply_cookie) F(sd_bus_message_get_sender) \
    F(sd_bus_message_get_path) F(sd_bus_message_get_error) F(sd_bus_message_get_interface) F(sd_bus_message_get_member) F(sd_bus_message_read_basic) \
    F(sd_bus_message_enter_container) F(sd_bus_message_exit_container) F(sd_bus_message_skip)

static struct {
#define DECLARED(name) __typeof__(&name) name;
    EVERY_FUNCTION(DECLARED)
} library;

int chatelaine_bus_load(void) {
    void *handle = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) return -ENOENT;
#define FOUND(name) \
    *(void **)&library.name = dlsym(handle, #name); \
    if (library.name == NULL) return -ENOSYS;
    EVERY_FUNCTION(FOUND)
    return 0;
}

int chatelaine_bus_connect(const char *path, struct sd_bus **bus) {
    char address[256];
    int length = snprintf(address, sizeof address, "unix:path=%s", path);
    if (length < 0 || (size_t)length >= sizeof address) return -ENAMETOOLONG;
    *bus = NULL;
    int error = library.sd_bus_new(bus);
    if (error >= 0) error = library.sd_bus_set_address(*bus, address);
    if (error >= 0) error = library.sd_bus_set_bus_client(*bus, 1);
    if (error >= 0) error = library.sd_bus_negotiate_fds(*bus, 1);
    if (error >= 0) error = library.sd_bus_start(*bus);
    if (error >= 0) return 0;
    chatelaine_bus_disconnect(*bus);
    *bus = NULL;
    return error;
}

void chatelaine_bus_disconnect(struct sd_bus *bus) {
    if (bus == NULL) return;
    /* Closes at once: unsent messages are not needed, and flushing would wait for a bus that does not read. */
    library.sd_bus_close(bus);
    (void)library.sd_bus_unref(bus);
}

int chatelaine_bus_is_ready(struct sd_bus *bus) { return library.sd_bus_is_ready(bus); }

int chatelaine_bus_wait(struct sd_bus *bus, const int *others, size_t count, int milliseconds) {
    struct pollfd watched[CHATELAINE_BUS_MOST_OTHERS + 1] = {{.fd = -1}};
    if (count > CHATELAINE_BUS_MOST_OTHERS) return -EINVAL;
    if (bus != NULL) {
        watched[0].fd = library.sd_bus_get_fd(bus);
        int events = library.sd_bus_get_events(bus);
        if (watched[0].fd < 0 || events < 0) return CHATELAINE_BUS_READY;
        watched[0].events = (short)events;
    }
    for (size_t index = 0; index < count; index++)
        watched[index + 1] = (struct pollfd){.fd = others[index], .events = POLLIN};
    if (poll(watched, count + 1, milliseconds) < 0) return errno == EINTR ? 0 : -errno;
    int ready = 0;
    for (size_t index = 0; index <= count; index++)
        if (watched[index].revents != 0) ready |= CHATELAINE_BUS_READY << index;
    return ready;
}

int chatelaine_bus_next(struct sd_bus *bus, struct chatelaine_bus_message *message) {
    memset(message, 0, sizeof *message);
    sd_bus_message *content = NULL;
    int result = library.sd_bus_process(bus, &content);
    if (result <= 0 || content == NULL) return result;
    uint8_t type = 0;
    int error = library.sd_bus_message_get_type(content, &type);
    if (error >= 0 && type == SD_BUS_MESSAGE_SIGNAL) {
        message->kind = CHATELAINE_BUS_SIGNAL;
    } else if (error >= 0 && (type == SD_BUS_MESSAGE_METHOD_RETURN || type == SD_BUS_MESSAGE_METHOD_ERROR)) {
        message->kind = type == SD_BUS_MESSAGE_METHOD_RETURN ? CHATELAINE_BUS_ANSWER : CHATELAINE_BUS_REFUSAL;
        if (library.sd_bus_message_get_reply_cookie(content, &message->serial) < 0) message->kind = 0;
    }
    if (message->kind == 0) {
        (void)library.sd_bus_message_unref(content);
        return 1;
    }
    message->sender = library.sd_bus_message_get_sender(content);
    message->path = library.sd_bus_message_get_path(content);
    message->interface = library.sd_bus_message_get_interface(content);
    message->member = library.sd_bus_message_get_member(content);
    if (message->kind == CHATELAINE_BUS_REFUSAL) {
        const sd_bus_error *refusal = library.sd_bus_message_get_error(content);
        message->error = refusal == NULL ? NULL : refusal->name;
    }
    message->content = content;
    return 1;
}

void chatelaine_bus_free(struct sd_bus_message *content) { (void)library.sd_bus_message_unref(content); }

int chatelaine_bus_call(
    struct sd_bus *bus, const char *destination, const char *path, const char *interface, const char *member,
    const char *const *words, size_t count, int starts, uint64_t *serial) {
    sd_bus_message *call = NULL;
    int error = library.sd_bus_message_new_method_call(bus, &call, destination, path, interface, member);
    if (error >= 0) error = library.sd_bus_message_set_auto_start(call, starts);
    for (size_t index = 0; error >= 0 && index < count; index++)
        error = library.sd_bus_message_append_basic(call, 's', words[index]);
    if (error >= 0) error = library.sd_bus_send(bus, call, serial);
    (void)library.sd_bus_message_unref(call);
    return error < 0 ? error : 0;
}

int chatelaine_bus_read_text(struct sd_bus_message *content, char type, const char **text) {
    return library.sd_bus_message_read_basic(content, type, text);
}

int chatelaine_bus_read_flag(struct sd_bus_message *content, int *flag) {
    return library.sd_bus_message_read_basic(content, 'b', flag);
}

int chatelaine_bus_read_u32(struct sd_bus_message *content, uint32_t *number) {
    return library.sd_bus_message_read_basic(content, 'u', number);
}

int chatelaine_bus_read_u64(struct sd_bus_message *content, uint64_t *number) {
    return library.sd_bus_message_read_basic(content, 't', number);
}

int chatelaine_bus_read_descriptor(struct sd_bus_message *content, int *descriptor) {
    return library.sd_bus_message_read_basic(content, 'h', descriptor);
}

int chatelaine_bus_enter(struct sd_bus_message *content, char type, const char *contents) {
    return library.sd_bus_message_enter_container(content, type, contents);
}

int chatelaine_bus_leave(struct sd_bus_message *content) { return library.sd_bus_message_exit_container(content); }

int chatelaine_bus_skip(struct sd_bus_message *content, const char *types) {
    return library.sd_bus_message_skip(content, types);
}
