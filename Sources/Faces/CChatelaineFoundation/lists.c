#include "lists.h"

#include <CoreFoundation/CoreFoundation.h>
#include <string.h>

// The layout of CoreFoundation's arrays (CFArray.c of the toolchain).
enum {
    FLAGS = 0x10,
    COUNT = 0x18,
    /// In a mutable array: the pointer to its store.
    STORE = 0x30,
    /// In an immutable array: its objects, after the callbacks if it has its own.
    OBJECTS = 0x38,
    /// In a store: the index of the first object within the capacity, the capacity, and the objects.
    STORE_FIRST = 0,
    STORE_ROOM = 8,
    STORE_OBJECTS = 16,
};

/// The lowest bits of the flags: whether the array is mutable, and whose callbacks it has.
enum { KIND = 3, FIXED = 0, CHANGEABLE = 2, CALLBACKS = 3 << 2, OWN_CALLBACKS = 3 << 2 };

static uintptr_t word(const void *bytes, size_t offset) {
    uintptr_t word;
    memcpy(&word, (const char *)bytes + offset, sizeof word);
    return word;
}

long chatelaine_list_count(const struct chatelaine_head *head) {
    uintptr_t kind = word(head->bytes, FLAGS) & KIND;
    return kind == FIXED || kind == CHANGEABLE ? (long)word(head->bytes, COUNT) : -1;
}

bool chatelaine_list_read(
    const void *array, const struct chatelaine_head *head, const void **pointers, size_t count,
    struct chatelaine_pages *pages) {
    uintptr_t flags = word(head->bytes, FLAGS);
    if (count == 0) return true;
    if ((flags & KIND) == FIXED) {
        size_t callbacks = (flags & CALLBACKS) == OWN_CALLBACKS ? sizeof(CFArrayCallBacks) : 0;
        return chatelaine_read((const char *)array + OBJECTS + callbacks, pointers, count * sizeof *pointers, pages);
    }
    unsigned char store[STORE_OBJECTS];
    const char *address = (const char *)word(head->bytes, STORE);
    if (!chatelaine_read(address, store, sizeof store, pages)) return false;
    uintptr_t first = word(store, STORE_FIRST), room = word(store, STORE_ROOM);
    // Such a store was replaced by another thread meanwhile.
    if (first > room || count > room - first || room > SIZE_MAX / sizeof *pointers - STORE_OBJECTS) return false;
    return chatelaine_read(
        address + STORE_OBJECTS + first * sizeof *pointers, pointers, count * sizeof *pointers, pages);
}
