// The value of an object in a caller's dictionary.
#ifndef CHATELAINE_VALUE_H
#define CHATELAINE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /// Text as `count` bytes of ASCII.
    CHATELAINE_VALUE_ASCII,
    /// Text as `count` bytes of UTF-16 units; surrogates may be unpaired.
    CHATELAINE_VALUE_UTF16,
    CHATELAINE_VALUE_DATA,
    CHATELAINE_VALUE_NUMBER,
    /// A boolean, as the number 0 or 1.
    CHATELAINE_VALUE_BOOLEAN,
    /// A number that is no integer of 64 bits.
    CHATELAINE_VALUE_REAL,
    /// Seconds since 1 January 2001, 00:00 UTC.
    CHATELAINE_VALUE_DATE,
    /// 16 bytes.
    CHATELAINE_VALUE_UUID,
    CHATELAINE_VALUE_NULL,
    /// An array: `elements` has the values of its first objects. Arrays among those are empty.
    CHATELAINE_VALUE_ARRAY,
    /// An object of a type of our own.
    CHATELAINE_VALUE_BOX,
    /// An object of a Swift class, which Swift code reads.
    CHATELAINE_VALUE_NATIVE,
    /// An object of CoreFoundation that has no meaning in a query.
    CHATELAINE_VALUE_OTHER,
};

/// The number of an array's objects that are read: one more than a query may list, so that too many are noticed.
enum { CHATELAINE_LIST_LIMIT = 16 * 1024 + 1 };

struct chatelaine_value {
    int kind;
    union {
        int64_t number;
        double real;
        uint8_t uuid[16];
        /// The object of a box or of a Swift class, retained. For an array, its address, which is never followed
        /// again.
        const void *object;
    };
    /// A copy, aligned for any type; a null pointer where there is nothing to copy. For an array: the pointers.
    void *bytes;
    /// The number of bytes; for an array, of elements.
    size_t count;
    struct chatelaine_value *elements;
};

/// Takes one object of a caller with as little trust as chatelaine_pairs_take. Returns false where the pointer leads
/// to no object, or there is no memory. The caller frees the value.
bool chatelaine_object_take(const void *object, struct chatelaine_value *value);

/// Wipes and frees the copy, and releases a box or a Swift object.
void chatelaine_object_free(struct chatelaine_value *value);

#endif
