#pragma once

#define _GNU_SOURCE
#undef _FORTIFY_SOURCE
#include "seam.h"

#include <sys/types.h>

/* The state that the parts of the seam share: counting and journal (counting.c), the calls (calls.c), and the proof
   that no call bypasses the seam (proof.c). */

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
/* The number of a descriptor in the journal; 0 for a descriptor that does not count. */
uint64_t seam_serial(int descriptor);
int seam_is_ours(int folder, const char *path);
/* Records the call with the fault. */
void seam_mark(const char *name, const char *path, int descriptor);
/* Counts a call, and returns the manner in which it has to fail, or SEAM_NONE. */
int seam_enter(int kind, const char *name, const char *path, int descriptor);
/* Sets errno to the code of the fault, and returns -1. */
long seam_failed(void);

/* Appends an entry to the journal; NULL where no journal is kept. */
struct seam_entry *seam_append(int event, uint64_t first);
void seam_journal_paths(
    int event, uint64_t first, const char *path, uint64_t second, const char *other, int flags);
void seam_journal_write(int descriptor, const void *bytes, size_t size, int64_t offset);

#pragma GCC visibility pop
