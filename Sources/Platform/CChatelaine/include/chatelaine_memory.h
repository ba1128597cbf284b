#ifndef CHATELAINE_MEMORY_H
#define CHATELAINE_MEMORY_H

#include <stddef.h>

/* Anonymous private pages, zeroed, kept out of core dumps; NULL and errno on failure. */
void *chatelaine_pages_map(size_t size);
/* Locks pages into memory, so that they never reach swap. */
int chatelaine_pages_lock(void *pages, size_t size);
void chatelaine_pages_unmap(void *pages, size_t size);
/* Zeroes memory in a way that the compiler may not leave out. */
void chatelaine_wipe(void *memory, size_t size);
/* Wipes and frees a block of malloc's, of whatever size; NULL is none. */
void chatelaine_free(void *block);
/* Whether two pieces of memory hold the same, found out in a time that depends on their size only. */
int chatelaine_is_same(const void *left, const void *right, size_t size);
/* Zeroes what functions that have returned left below the caller's frame on its stack, as far as ours reach: 96 KiB where nothing is
   optimised, as in the module SystemCalls (`Worker`). */
void chatelaine_wipe_stack(void);
/* Maps blocks larger than `threshold` by themselves and unmaps them when they are freed: mallopt(3). */
void chatelaine_return_freed_memory(int threshold);

/* Whether the bytes of `part` stand somewhere in `all` : memmem(3). */
int chatelaine_memory_has(const void *all, size_t all_size, const void *part, size_t part_size);

#endif
