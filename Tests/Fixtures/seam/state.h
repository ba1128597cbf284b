#pragma once

#define _GNU_SOURCE
#undef _FORTIFY_SOURCE
#include "seam.h"

#include <sys/types.h>

/* What the three parts of the seam share: counting and journal (counting.c), the calls (calls.c), the proof that nothing
   passes by (proof.c). */

#pragma GCC visibility push(hidden)

enum { most_descriptors = 4096, most_kinds = 1 << 20 };

struct seam_state {
    char root[512];
    size_t root_length;
    int is_armed;
    int is_recording;
    uint64_t count, target;
    int manner, code, has_struck;
    char where[1024];
    /* 0 for a descriptor of no file below the root. */
    uint64_t serials[most_descriptors];
    uint64_t last_serial;
    int open_count;
    struct seam_entry *entries;
    size_t entry_count, entry_room;
    uint8_t kinds[most_kinds];
};

extern struct seam_state seam;

int seam_is_below(const char *path);
/* The number in the journal of what a descriptor stands for; 0 where it does not count. */
uint64_t seam_serial(int descriptor);
int seam_is_ours(int folder, const char *path);
/* Remembers what the fault struck. */
void seam_mark(const char *name, const char *path, int descriptor);
/* Counts a call; how it is to fail, if at all. */
int seam_enter(int kind, const char *name, const char *path, int descriptor);
/* Sets errno as the fault says; -1. */
long seam_failed(void);

/* NULL where nothing is recorded. */
struct seam_entry *seam_append(int event, uint64_t first);
void seam_journal_paths(
    int event, uint64_t first, const char *path, uint64_t second, const char *other, int flags);
void seam_journal_write(int descriptor, const void *bytes, size_t size, int64_t offset);

#pragma GCC visibility pop
