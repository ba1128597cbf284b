// What an object of a stranger's dictionary stands for.
#ifndef CHATELAINE_VALUE_H
#define CHATELAINE_VALUE_H

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
    CHATELAINE_VALUE_ARRAY,
    /// An object of a type of our own.
    CHATELAINE_VALUE_BOX,
    /// An object of a class of Swift's, to be read by Swift.
    CHATELAINE_VALUE_NATIVE,
    /// An object of CoreFoundation that has no meaning in a query.
    CHATELAINE_VALUE_OTHER,
};

struct chatelaine_value {
    int kind;
    union {
        int64_t number;
        double real;
        uint8_t uuid[16];
        /// Of a box and of a class of Swift's; retained.
        const void *object;
    };
    /// A copy, aligned for any type; a null pointer where there is nothing to copy.
    void *bytes;
    size_t count;
};

#endif
