// Reading memory and objects without trusting whoever gave the pointer.
#ifndef CHATELAINE_OBJECTS_H
#define CHATELAINE_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CHATELAINE_KNOWN_PAGES = 8,
    /// Enough of any object to tell its kind and where its contents are.
    CHATELAINE_HEAD = 96,
};

/// Pages that were readable a moment ago; objects of one dictionary mostly share a few.
struct chatelaine_pages {
    unsigned next;
    uintptr_t pages[CHATELAINE_KNOWN_PAGES];
};

/// The beginning of an object as it was at one moment.
///
/// CoreFoundation reads small objects through such a copy as through the original, but nobody changes or frees it.
struct chatelaine_head {
    _Alignas(16) unsigned char bytes[CHATELAINE_HEAD];
};

/// Copies memory; false where there is none to read.
bool chatelaine_read(const void *address, void *buffer, size_t length, struct chatelaine_pages *pages);

/// Copies the beginning of an object of Foundation, of CoreFoundation or of a class below NSObject; false where there is
/// no such object.
bool chatelaine_read_head(const void *pointer, struct chatelaine_head *head, struct chatelaine_pages *pages);

/// The class of an object.
uintptr_t chatelaine_class_of(const void *object);

/// Whether this is one of the constants of the C interface.
bool chatelaine_is_constant(const void *pointer);

#endif
