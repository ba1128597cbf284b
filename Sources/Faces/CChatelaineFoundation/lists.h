// The pointers in an array.
#ifndef CHATELAINE_LISTS_H
#define CHATELAINE_LISTS_H

#include "objects.h"

/// How many objects an array has whose head this is a copy of; negative where it is laid out as we do not know it.
long chatelaine_list_count(const struct chatelaine_head *head);

/// Reads the first pointers of the array; false where its head leads to no memory.
bool chatelaine_list_read(
    const void *array, const struct chatelaine_head *head, const void **pointers, size_t count,
    struct chatelaine_pages *pages);

#endif
