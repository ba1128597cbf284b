// Reads memory and objects without trusting the pointer.
#ifndef CHATELAINE_OBJECTS_H
#define CHATELAINE_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CHATELAINE_KNOWN_PAGES = 8,
    /// The size of a head: enough of any object to tell its kind and where its contents are.
    CHATELAINE_HEAD = 96,
};

/// Pages that were readable a moment ago; objects of one dictionary mostly share a few.
struct chatelaine_pages {
    unsigned next;
    uintptr_t pages[CHATELAINE_KNOWN_PAGES];
};

/// The beginning of an object as it was at one moment.
///
/// CoreFoundation reads a small object from such a copy as from the original, but no other thread changes or frees
/// the copy.
struct chatelaine_head {
    _Alignas(16) unsigned char bytes[CHATELAINE_HEAD];
};

/// Copies memory; false where it is not readable.
bool chatelaine_read(const void *address, void *buffer, size_t length, struct chatelaine_pages *pages);

/// Copies the beginning of an object of Foundation, of CoreFoundation or of a class below NSObject; false where there
/// is no such object.
bool chatelaine_read_head(const void *pointer, struct chatelaine_head *head, struct chatelaine_pages *pages);

/// Returns the class of an object.
uintptr_t chatelaine_class_of(const void *object);

/// Returns whether this is one of the constants of the C interface.
bool chatelaine_is_constant(const void *pointer);

#endif
