/* What stand-ins for services on a system bus of a test's own have in common: a bus, lines from standard input, and what came of each on
   standard output, a line each. */
#ifndef FAKE_SERVICE_H
#define FAKE_SERVICE_H

#include <systemd/sd-bus.h>

/* What carrying out a line came to. */
enum fake_outcome { FAKE_DONE, FAKE_SAID, FAKE_UNKNOWN };

extern sd_bus *fake_bus;
/* To whom signals go, by the unique name; null or "" for all. */
extern const char *fake_target;

/* Connects to the bus. What goes wrong is said under that name. */
void fake_begin(const char *name);
/* Ends the program where a call has failed. */
void fake_check(int result, const char *step);
void fake_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

void fake_object(const char *path, const char *interface, const sd_bus_vtable *table);
sd_bus_message *fake_signal(const char *path, const char *interface, const char *member);
void fake_emit(sd_bus_message *message);

/* Says "ready", and carries out lines until the input ends or the bus is gone. "done" is said after each, where it has said nothing itself.
   `names` is known everywhere: the unique names of those who hear the bus. A service that is silent answers nobody on it. */
int fake_serve(enum fake_outcome (*carry_out)(char *line), int is_silent);

#endif
