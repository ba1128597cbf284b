// What an object of a stranger's dictionary stands for.
#ifndef CHATELAINE_VALUE_H
#define CHATELAINE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /// Text as `count` bytes of ASCII.
    CHATELAINE_VALUE_ASCII,
    /// Text as `count` bytes that are units of UTF-16; a surrogate may stand alone.
    CHATELAINE_VALUE_UTF16,
    CHATELAINE_VALUE_DATA,
    CHATELAINE_VALUE_NUMBER,
    /// A number that is not whole or beyond 64 bits.
    CHATELAINE_VALUE_REAL,
    /// Seconds since 1 January 2001, 00:00 UTC.
    CHATELAINE_VALUE_DATE,
    /// 16 bytes.
    CHATELAINE_VALUE_UUID,
    CHATELAINE_VALUE_NULL,
    /// An array: `elements` has what its first objects stand for. Arrays among those are empty.
    CHATELAINE_VALUE_ARRAY,
    /// An object of a type of our own.
    CHATELAINE_VALUE_BOX,
    /// An object of a class of Swift's, to be read by Swift.
    CHATELAINE_VALUE_NATIVE,
    /// An object of CoreFoundation that has no meaning in a query.
    CHATELAINE_VALUE_OTHER,
};

/// How many objects of an array are looked at: one more than a query may list, so that too many are noticed.
enum { CHATELAINE_LIST_LIMIT = 16 * 1024 + 1 };

struct chatelaine_value {
    int kind;
    union {
        int64_t number;
        double real;
        uint8_t uuid[16];
        /// Of a box and of a class of Swift's; retained. Of an array: never followed again.
        const void *object;
    };
    /// A copy, aligned for any type; a null pointer where there is nothing to copy. Of an array: the pointers.
    void *bytes;
    /// Bytes; of an array: elements.
    size_t count;
    struct chatelaine_value *elements;
};

/// Takes one object of a stranger's, with as little trust as chatelaine_pairs_take; false where the pointer leads to none, or there is
/// no memory. What was taken is to be freed.
bool chatelaine_object_take(const void *object, struct chatelaine_value *value);

/// Wipes and frees the copy, and lets go of a box or an object of Swift.
void chatelaine_object_free(struct chatelaine_value *value);

#endif
