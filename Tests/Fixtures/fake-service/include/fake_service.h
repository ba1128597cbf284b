/* The common part of stand-ins for services on a test's own system bus.

   A stand-in connects to the bus, reads commands as lines from standard input, and writes a line for each to standard
   output. */
#ifndef FAKE_SERVICE_H
#define FAKE_SERVICE_H

#include <systemd/sd-bus.h>

/* The outcome of a line. */
enum fake_outcome { FAKE_DONE, FAKE_SAID, FAKE_UNKNOWN };

extern sd_bus *fake_bus;
/* The unique name of the program that receives signals; null or "" for all. */
extern const char *fake_target;

/* Connects to the bus. Error messages begin with this name. */
void fake_begin(const char *name);
/* Ends the program if a call has failed. */
void fake_check(int result, const char *step);
void fake_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

void fake_object(const char *path, const char *interface, const sd_bus_vtable *table);
sd_bus_message *fake_signal(const char *path, const char *interface, const char *member);
void fake_emit(sd_bus_message *message);

/* Prints "ready", and carries out lines until the input ends or the bus closes.

   It prints "done" after each line that has printed nothing itself. Every stand-in knows `names`, which prints the
   unique names of the programs on the bus. A silent service answers no program on the bus. */
int fake_serve(enum fake_outcome (*carry_out)(char *line), int is_silent);

#endif
