// Types of our own that CoreFoundation knows: with a type identifier, equality, hash and description.
#ifndef CHATELAINE_BOX_H
#define CHATELAINE_BOX_H

#include <stdbool.h>
#include <stdint.h>

/// What a type does with the contents of its objects.
struct chatelaine_box_calls {
    bool (*equal)(const void *first, const void *second);
    uintptr_t (*hash)(const void *content);
    /// A string with one reference for whoever asked.
    const void *(*copy_description)(const void *content);
    void (*release)(const void *content);
};

/// Makes a type known to CoreFoundation and returns its identifier, 0 on failure. The name must live as long as the process.
uintptr_t chatelaine_box_register(const char *name);

/// An object of a type around some content, one reference to which it takes over.
const void *chatelaine_box_make(uintptr_t type, const struct chatelaine_box_calls *calls, const void *content);

/// The content, which the object keeps, or a null pointer where the object is of another type.
const void *chatelaine_box_content(const void *object, uintptr_t type);

/// Whether the object is a box of whatever type.
bool chatelaine_is_box(const void *object);

#endif
