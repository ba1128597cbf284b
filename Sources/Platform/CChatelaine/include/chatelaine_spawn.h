#ifndef CHATELAINE_SPAWN_H
#define CHATELAINE_SPAWN_H

#include <sys/types.h>
#include <termios.h>

/* Starts a program in a session of its own, with default signals, every descriptor above 2 closed and the standard
   ones on /dev/null. Returns its pid, or -1 and errno. */
pid_t chatelaine_spawn_detached(const char *path, char *const arguments[], char *const environment[]);

/* Starts a program that finds `channel` as descriptor 3, keeps standard error, and has no other descriptor above 2. */
pid_t chatelaine_spawn_with_channel(const char *path, char *const arguments[], char *const environment[], int channel);

/* The same with `count` channels as descriptors from 3 on. None has the number of the place of an earlier one. */
pid_t chatelaine_spawn_with_channels(
    const char *path, char *const arguments[], char *const environment[], const int channels[], int count);

/* A pipe that closes on exec: its reading and its writing end. */
int chatelaine_pipe(int ends[2]);

/* Copies from a file into a pipe, past this process; how many bytes that were. */
ssize_t chatelaine_splice(int file, int pipe, size_t count);

/* Copies what is in a pipe into another one, and leaves it there; how many bytes that were. */
ssize_t chatelaine_tee(int pipe, int copy, size_t count);
/* Starts a program that reads `input` and writes `output`, has nothing else open but /dev/null as standard error, and is
   killed when the calling thread ends. A program that cannot be executed ends with status 127. Returns its pid, or -1 and errno. */
pid_t chatelaine_spawn_between(
    const char *path, char *const arguments[], char *const environment[], int input, int output);

/* Forks a process that puts a terminal back as it was, should this one be killed: once it, and then `painter`, has ended. It has the
   terminal and nothing else. It does nothing where a byte comes over `channel` before that ends. Call it while there is one thread, and
   wait for the process. Returns its pid, or -1 and errno. */
pid_t chatelaine_keep_terminal(int terminal, const struct termios *former, pid_t painter, int *channel);

/* The status of a program whose child died before it said how its start went: another start may go better. */
#define CHATELAINE_DIED_EARLY 75

/* Forks. The parent waits for the child to write one byte to the descriptor that the child gets, then exits with that
   byte as its status (CHATELAINE_DIED_EARLY if the child dies first). Only the child returns. Call it while there is one
   thread. Returns the descriptor, or -1 and errno. */
int chatelaine_continue_in_background(void);

#endif
