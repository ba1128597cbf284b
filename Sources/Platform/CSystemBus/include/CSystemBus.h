/* Messages of the system bus, by sd-bus of libsystemd.

   The library is loaded when it is asked for: a process that links this has nothing of it in memory until then. Every function
   answers a negative error number on failure, as those of sd-bus do. All are for one thread. */
#ifndef CSYSTEMBUS_H
#define CSYSTEMBUS_H

#include <stddef.h>
#include <stdint.h>

struct sd_bus;
struct sd_bus_message;

/* The kind of a message. */
#define CHATELAINE_BUS_SIGNAL 1
#define CHATELAINE_BUS_ANSWER 2
#define CHATELAINE_BUS_REFUSAL 3
/* What chatelaine_bus_wait reports as ready for reading. */
#define CHATELAINE_BUS_READY 1
#define CHATELAINE_BUS_OTHER_READY 2
#define CHATELAINE_BUS_MOST_OTHERS 3

/* A message that arrived. Its strings live as long as its content. */
struct chatelaine_bus_message {
    int kind;
    /* The number of the call that the message answers. */
    uint64_t serial;
    /* The sender according to the bus, which lets nobody send in another's name; NULL where the bus does not say. */
    const char *sender;
    const char *path;
    const char *interface;
    const char *member;
    /* The name of the error, in a refusal. */
    const char *error;
    /* NULL where the message has nothing for the caller; more messages may follow. */
    struct sd_bus_message *content;
};

/* Loads the library. Call it before the sandbox is applied, which admits no code. */
int chatelaine_bus_load(void);
/* Begins to connect to a bus at a path, without waiting. */
int chatelaine_bus_connect(const char *path, struct sd_bus **bus);
void chatelaine_bus_disconnect(struct sd_bus *bus);
/* Whether the bus has greeted us. */
int chatelaine_bus_is_ready(struct sd_bus *bus);
/* Waits for so many milliseconds until the bus (which may be NULL) or another descriptor is ready. Returns the ready
   ones: CHATELAINE_BUS_READY, CHATELAINE_BUS_OTHER_READY for the first of the others, and the next bits for those after
   it. In `others`, -1 stands for none. */
int chatelaine_bus_wait(struct sd_bus *bus, const int *others, size_t count, int milliseconds);
/* Takes in one message: 1 where it made progress, 0 where there is no message now. */
int chatelaine_bus_next(struct sd_bus *bus, struct chatelaine_bus_message *message);
void chatelaine_bus_free(struct sd_bus_message *content);
/* Calls a method with strings; the answer is a message with the serial. Where `starts` is set, the bus starts the
   service with that name if it does not run. */
int chatelaine_bus_call(
    struct sd_bus *bus, const char *destination, const char *path, const char *interface, const char *member,
    const char *const *words, size_t count, int starts, uint64_t *serial);

/* Reads the content piece by piece: 1 where there was a value of the type, 0 at the end of the container. Strings and
   descriptors live as long as the content. */
int chatelaine_bus_read_text(struct sd_bus_message *content, char type, const char **text);
int chatelaine_bus_read_flag(struct sd_bus_message *content, int *flag);
int chatelaine_bus_read_u32(struct sd_bus_message *content, uint32_t *number);
int chatelaine_bus_read_u64(struct sd_bus_message *content, uint64_t *number);
int chatelaine_bus_read_descriptor(struct sd_bus_message *content, int *descriptor);
/* Enters an array (a), a structure (r), an entry of a dictionary (e) or a variant (v) with these types, or
   skips one. */
int chatelaine_bus_enter(struct sd_bus_message *content, char type, const char *contents);
int chatelaine_bus_leave(struct sd_bus_message *content);
int chatelaine_bus_skip(struct sd_bus_message *content, const char *types);

#endif
