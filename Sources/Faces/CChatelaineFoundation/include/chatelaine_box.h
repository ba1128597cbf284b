// CoreFoundation types of our own, with a type identifier, equality, hash and description.
#ifndef CHATELAINE_BOX_H
#define CHATELAINE_BOX_H

#include <stdbool.h>
#include <stdint.h>

/// The calls of a type about the contents of its objects.
struct chatelaine_box_calls {
    bool (*equal)(const void *first, const void *second);
    uintptr_t (*hash)(const void *content);
    /// Returns a string with one reference for the caller.
    const void *(*copy_description)(const void *content);
    void (*release)(const void *content);
};

/// Registers a type with CoreFoundation and returns its identifier, 0 on failure. The name must live as long as the
/// process.
uintptr_t chatelaine_box_register(const char *name);

/// Makes an object of a type around a content, and takes over one reference to the content.
const void *chatelaine_box_make(uintptr_t type, const struct chatelaine_box_calls *calls, const void *content);

/// Returns the content, which the object owns; a null pointer for an object of another type.
const void *chatelaine_box_content(const void *object, uintptr_t type);

/// Returns whether the object is a box of any type.
bool chatelaine_is_box(const void *object);

#endif
