// The pairs of a dictionary that a stranger made.
#ifndef CHATELAINE_PAIRS_H
#define CHATELAINE_PAIRS_H

#include <stddef.h>

#include "chatelaine_value.h"

/// As many as a query may have (behaviour/limits.md, 1); a larger dictionary is refused unread.
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
    /// A dictionary of a class of Swift's, to be read by Swift.
    CHATELAINE_PAIRS_NATIVE,
    CHATELAINE_PAIRS_TOO_MANY,
    /// A key or a value is a pointer to something that is no object. What was taken until then is given all the same: the
    /// last pair is the one with the mistake, and only keys that are copied may be looked at.
    CHATELAINE_PAIRS_NO_OBJECT,
    /// Another thread changes the dictionary without end.
    CHATELAINE_PAIRS_CHANGING,
    CHATELAINE_PAIRS_NO_MEMORY,
};

/// Takes the pairs of a dictionary, or says which of the above it is; what was taken is to be freed.
///
/// A dictionary that was made without callbacks may hold anything, and one that changes may lead anywhere: pointers are
/// followed only where the kernel says that there is memory, everything is copied before it is looked at, and nothing
/// of the caller's is written to, not even a count of references. What was read counts if the dictionary has not
/// changed in the end. An object that was freed long ago cannot be told from one that lives.
int chatelaine_pairs_take(const void *dictionary, struct chatelaine_pairs **pairs);

size_t chatelaine_pairs_count(const struct chatelaine_pairs *pairs);
const struct chatelaine_pair *chatelaine_pairs_at(const struct chatelaine_pairs *pairs, size_t index);

/// Wipes and frees the copies.
void chatelaine_pairs_free(struct chatelaine_pairs *pairs);

#endif
