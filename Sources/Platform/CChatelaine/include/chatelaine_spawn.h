#ifndef CHATELAINE_SPAWN_H
#define CHATELAINE_SPAWN_H

#include <sys/types.h>
#include <termios.h>

/* Starts a program in a session of its own, with default signals, the standard descriptors on /dev/null and all others
   closed. Returns its pid, or -1 and errno. */
pid_t chatelaine_spawn_detached(const char *path, char *const arguments[], char *const environment[]);

/* Starts a program that has `channel` as descriptor 3, keeps standard error, and has no other descriptor above 2. */
pid_t chatelaine_spawn_with_channel(const char *path, char *const arguments[], char *const environment[], int channel);

/* Starts a program in the same way with `count` channels, as descriptors from 3 on. No channel may have the number of
   an earlier channel's place. */
pid_t chatelaine_spawn_with_channels(
    const char *path, char *const arguments[], char *const environment[], const int channels[], int count);

/* Makes a pipe that closes on exec: its reading and its writing end. */
int chatelaine_pipe(int ends[2]);

/* Copies from a file into a pipe, past this process; returns the number of bytes. */
ssize_t chatelaine_splice(int file, int pipe, size_t count);

/* Copies the content of a pipe into another pipe, and leaves it in the first; returns the number of bytes. */
ssize_t chatelaine_tee(int pipe, int copy, size_t count);
/* Starts a program that reads `input`, writes `output`, and has /dev/null as standard error and nothing else open. The
   program is killed when the calling thread ends. A program that cannot be executed ends with status 127. Returns its
   pid, or -1 and errno. */
pid_t chatelaine_spawn_between(
    const char *path, char *const arguments[], char *const environment[], int input, int output);

/* Forks a process that restores the terminal, should this process be killed: once this process, and then `painter`, has
   ended. The forked process has only the terminal. It does nothing where a byte comes over `channel` first. Call it
   while there is one thread, and wait for the forked process. Returns its pid, or -1 and errno. */
pid_t chatelaine_keep_terminal(int terminal, const struct termios *former, pid_t painter, int *channel);

/* The status of a program whose child died before it reported its start: another start may succeed. */
#define CHATELAINE_DIED_EARLY 75

/* Forks, and returns only in the child. The parent waits for one byte that the child writes to the returned descriptor,
   then exits with that byte as its status (CHATELAINE_DIED_EARLY if the child dies first). Call it while there is one
   thread. Returns the descriptor, or -1 and errno. */
int chatelaine_continue_in_background(void);

#endif
