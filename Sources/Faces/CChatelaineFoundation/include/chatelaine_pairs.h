// The pairs of a caller's dictionary, which is not trusted.
#ifndef CHATELAINE_PAIRS_H
#define CHATELAINE_PAIRS_H

#include <stddef.h>

#include "chatelaine_value.h"

/// The most pairs that a query may have (behaviour/limits.md, 1); a larger dictionary is refused unread.
enum { CHATELAINE_PAIRS_LIMIT = 128 };

struct chatelaine_pair {
    struct chatelaine_value key;
    struct chatelaine_value value;
};

/// The pairs of one dictionary at one moment.
struct chatelaine_pairs;

enum {
    CHATELAINE_PAIRS_TAKEN,
    /// A null pointer, an object of another type, or no object at all.
    CHATELAINE_PAIRS_NO_DICTIONARY,
    /// A dictionary of a Swift class, which Swift code reads.
    CHATELAINE_PAIRS_NATIVE,
    CHATELAINE_PAIRS_TOO_MANY,
    /// A key or a value is a pointer that leads to no object. The pairs until then are returned nevertheless. The
    /// last pair is the one with the bad pointer, and only copied keys may be looked at.
    CHATELAINE_PAIRS_NO_OBJECT,
    /// A dictionary of CoreFoundation's whose tables are laid out in another way, which is not read.
    CHATELAINE_PAIRS_OTHER_TABLES,
    /// Another thread keeps changing the dictionary.
    CHATELAINE_PAIRS_CHANGING,
    CHATELAINE_PAIRS_NO_MEMORY,
};

/// Takes the pairs of a dictionary, or returns one of the outcomes above; the caller frees the pairs.
///
/// A dictionary that was made without callbacks may hold anything, and the pointers in one that changes may lead
/// anywhere. Pointers are followed only where the kernel says that there is memory, and everything is copied before
/// it is looked at. Nothing in the caller's memory is written to, not even a reference count. The result counts if
/// the dictionary is unchanged at the end. An object that was freed long ago cannot be told from a live one.
int chatelaine_pairs_take(const void *dictionary, struct chatelaine_pairs **pairs);

size_t chatelaine_pairs_count(const struct chatelaine_pairs *pairs);
const struct chatelaine_pair *chatelaine_pairs_at(const struct chatelaine_pairs *pairs, size_t index);

/// Wipes and frees the copies.
void chatelaine_pairs_free(struct chatelaine_pairs *pairs);

#endif
