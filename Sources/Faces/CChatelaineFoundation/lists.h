// Reads the pointers in an array.
#ifndef CHATELAINE_LISTS_H
#define CHATELAINE_LISTS_H

#include "objects.h"

/// Returns the number of an array's objects from a copy of its head; negative for an unknown layout.
long chatelaine_list_count(const struct chatelaine_head *head);

/// Reads the first pointers of the array; false where its head leads to unreadable memory.
bool chatelaine_list_read(
    const void *array, const struct chatelaine_head *head, const void **pointers, size_t count,
    struct chatelaine_pages *pages);

#endif
