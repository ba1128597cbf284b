/* Files that change all the time. The first two verbs go on until their input ends, and print `begun` after the first
   round. */
#define _GNU_SOURCE
#include "attack.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 4096 };

/* Whether the script that started this process still holds its input open. */
static int goes_on(void) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&input, 1, 0) == 0;
}

/* exchange A B: exchanges the files of two names, again and again. */
int verb_exchange(int count, char **words) {
    if (count != 2) return 2;
    for (long round = 0; goes_on(); round++) {
        if (renameat2(AT_FDCWD, words[0], AT_FDCWD, words[1], RENAME_EXCHANGE) != 0) return perror(words[0]), 1;
        if (round == 0) printf("begun\n");
        /* Rounds have different lengths, so that two looks of a reader sometimes see the same file. */
        usleep((useconds_t)(round % 40) * 100);
    }
    return 0;
}

/* rewrite FILE: changes the content and the length of a file all the time, so that each look sees another file. */
int verb_rewrite(int count, char **words) {
    if (count != 1) return 2;
    char bytes[LARGEST];
    int file = open(words[0], O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) return perror(words[0]), 1;
    for (long round = 0; goes_on(); round++) {
        memset(bytes, 'a' + (int)(round % 26), sizeof bytes);
        if (ftruncate(file, round % LARGEST) != 0 || pwrite(file, bytes, (size_t)(round * 7 % LARGEST), 0) < 0) return 1;
        if (round == 0) printf("begun\n");
    }
    return 0;
}

/* node socket|pipe|terabyte FILE: makes a socket or a pipe, or a file of a terabyte that takes no room on the disk. */
int verb_node(int count, char **words) {
    if (count != 2) return 2;
    if (strcmp(words[0], "socket") == 0) return mknod(words[1], S_IFSOCK | 0644, 0) != 0;
    if (strcmp(words[0], "pipe") == 0) return mknod(words[1], S_IFIFO | 0644, 0) != 0;
    if (strcmp(words[0], "terabyte") != 0) return 2;
    int file = open(words[1], O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    return file < 0 || ftruncate(file, (off_t)1 << 40) != 0;
}
