// Reads the pointers in a dictionary's tables.
#ifndef CHATELAINE_TABLES_H
#define CHATELAINE_TABLES_H

#include "chatelaine_pairs.h"
#include "objects.h"

/// The keys and values of a dictionary, as bare pointers.
struct chatelaine_pointers {
    const void *keys[CHATELAINE_PAIRS_LIMIT];
    const void *values[CHATELAINE_PAIRS_LIMIT];
};

/// Returns whether a copied head is a dictionary's whose tables have the known layout.
bool chatelaine_has_tables(const struct chatelaine_head *head);

/// Reads as many pointers as the head has pairs, which must not be more than CHATELAINE_PAIRS_LIMIT.
///
/// The result is CHATELAINE_PAIRS_TAKEN, CHATELAINE_PAIRS_CHANGING where the head leads to unreadable memory,
/// CHATELAINE_PAIRS_TOO_MANY for tables of unreasonable size, or CHATELAINE_PAIRS_NO_MEMORY.
int chatelaine_pointers_take(
    const struct chatelaine_head *head, struct chatelaine_pointers *pointers, struct chatelaine_pages *pages);

/// Returns whether two heads describe the same pairs; class and reference count may differ.
bool chatelaine_is_same_state(const struct chatelaine_head *first, const struct chatelaine_head *second);

#endif
