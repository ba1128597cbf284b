#define _GNU_SOURCE
#include "chatelaine_memory.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *chatelaine_pages_map(size_t size) {
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return NULL;
    /* Only advice: where the kernel does not take it, the pages stay dumpable, but the daemons are not dumpable anyway.
       */
    (void)madvise(pages, size, MADV_DONTDUMP);
    return pages;
}

int chatelaine_pages_lock(void *pages, size_t size) { return mlock(pages, size); }

void chatelaine_pages_unmap(void *pages, size_t size) { (void)munmap(pages, size); }

void chatelaine_wipe(void *memory, size_t size) { explicit_bzero(memory, size); }

void chatelaine_free(void *block) {
    if (!block) return;
    chatelaine_wipe(block, malloc_usable_size(block));
    free(block);
}

int chatelaine_is_same(const void *left, const void *right, size_t size) {
    /* Volatile, so that no compiler makes the loop stop at the first difference. */
    const volatile unsigned char *first = left, *second = right;
    unsigned char difference = 0;
    for (size_t index = 0; index < size; index++) difference |= first[index] ^ second[index];
    return difference == 0;
}

__attribute__((noinline)) void chatelaine_wipe_stack(void) {
    unsigned char below[96 * 1024];
    chatelaine_wipe(below, sizeof below);
}

void chatelaine_return_freed_memory(int threshold) {
    (void)mallopt(M_MMAP_THRESHOLD, threshold);
    (void)mallopt(M_TRIM_THRESHOLD, threshold);
}

int chatelaine_memory_has(const void *all, size_t all_size, const void *part, size_t part_size) {
    return memmem(all, all_size, part, part_size) != NULL;
}
