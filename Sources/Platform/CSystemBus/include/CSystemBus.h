/* Messages of the system bus, by sd-bus of libsystemd.

   The library is loaded when it is asked for: a process that links this has nothing of it in memory until then. Every function
   answers a negative error number on failure, as those of sd-bus do. All are for one thread. */
#ifndef CSYSTEMBUS_H
#define CSYSTEMBUS_H

#include <stddef.h>
#include <stdint.h>

struct sd_bus;
struct sd_bus_message;

/* What a message is. */
#define CHATELAINE_BUS_SIGNAL 1
#define CHATELAINE_BUS_ANSWER 2
#define CHATELAINE_BUS_REFUSAL 3
/* What chatelaine_bus_wait says has something to be read. */
#define CHATELAINE_BUS_READY 1
#define CHATELAINE_BUS_OTHER_READY 2
#define CHATELAINE_BUS_MOST_OTHERS 3

/* A message that came. Its strings live as long as its content. */
struct chatelaine_bus_message {
    int kind;
    /* Of the call that it answers. */
    uint64_t serial;
    /* As the bus says, which lets nobody send in another's name; NULL where it does not say. */
    const char *sender;
    const char *path;
    const char *interface;
    const char *member;
    /* Of a refusal: the error's name. */
    const char *error;
    /* NULL where there is nothing to look at, and perhaps more to come. */
    struct sd_bus_message *content;
};

/* Loads the library: before the sandbox, which lets no code in. */
int chatelaine_bus_load(void);
/* Begins to connect to a bus at a path; nothing waits for it. */
int chatelaine_bus_connect(const char *path, struct sd_bus **bus);
void chatelaine_bus_disconnect(struct sd_bus *bus);
/* Whether the bus has greeted us. */
int chatelaine_bus_is_ready(struct sd_bus *bus);
/* Waits until the bus (which may be NULL) or another descriptor has something, for so long; which of them has: CHATELAINE_BUS_READY,
   CHATELAINE_BUS_OTHER_READY for the first of the others, and the next bits for those after it. -1 stands for none. */
int chatelaine_bus_wait(struct sd_bus *bus, const int *others, size_t count, int milliseconds);
/* Takes in one message: 1 where it did something, 0 where there is none now. */
int chatelaine_bus_next(struct sd_bus *bus, struct chatelaine_bus_message *message);
void chatelaine_bus_free(struct sd_bus_message *content);
/* Calls a method with strings; the answer comes as a message with the serial. The bus starts whoever has the name where `starts` says so, and
   nobody else. */
int chatelaine_bus_call(
    struct sd_bus *bus, const char *destination, const char *path, const char *interface, const char *member,
    const char *const *words, size_t count, int starts, uint64_t *serial);

/* The content, piece by piece: 1 where there was one of the type, 0 at the end of what is entered. Strings live as long as the
   content, and so does a descriptor. */
int chatelaine_bus_read_text(struct sd_bus_message *content, char type, const char **text);
int chatelaine_bus_read_flag(struct sd_bus_message *content, int *flag);
int chatelaine_bus_read_u32(struct sd_bus_message *content, uint32_t *number);
int chatelaine_bus_read_u64(struct sd_bus_message *content, uint64_t *number);
int chatelaine_bus_read_descriptor(struct sd_bus_message *content, int *descriptor);
/* Goes into an array (a), a structure (r), an entry of a dictionary (e) or a variant (v) of those types, or past one. */
int chatelaine_bus_enter(struct sd_bus_message *content, char type, const char *contents);
int chatelaine_bus_leave(struct sd_bus_message *content);
int chatelaine_bus_skip(struct sd_bus_message *content, const char *types);

#endif
