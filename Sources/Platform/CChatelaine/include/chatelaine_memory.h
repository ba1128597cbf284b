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
/* Wipes and frees a block from malloc, of any size; NULL is allowed. */
void chatelaine_free(void *block);
/* Whether two pieces of memory are equal, in a time that depends only on their size. */
int chatelaine_is_same(const void *left, const void *right, size_t size);
/* Zeroes the stack below the caller's frame, with what returned functions left there, as far down as our functions
   reach. That is 96 KiB without optimisation, as in the module SystemCalls (`Worker`). */
void chatelaine_wipe_stack(void);
/* Gives each block larger than `threshold` a mapping of its own, which is unmapped when the block is freed: mallopt(3).
   */
void chatelaine_return_freed_memory(int threshold);

/* Whether the bytes of `part` occur in `all`: memmem(3). */
int chatelaine_memory_has(const void *all, size_t all_size, const void *part, size_t part_size);

#endif
