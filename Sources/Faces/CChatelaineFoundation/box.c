#include "chatelaine_box.h"

#include <CoreFoundation/CoreFoundation.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { TYPES = 64 };

/// CoreFoundation's description of a type; the layout is its own (CFRuntime.h of the toolchain).
struct runtime_class {
    CFIndex version;
    const char *name;
    void (*init)(CFTypeRef object);
    CFTypeRef (*copy)(CFAllocatorRef allocator, CFTypeRef object);
    void (*finalize)(CFTypeRef object);
    Boolean (*equal)(CFTypeRef first, CFTypeRef second);
    CFHashCode (*hash)(CFTypeRef object);
    CFStringRef (*copy_formatting_description)(CFTypeRef object, CFDictionaryRef options);
    CFStringRef (*copy_debug_description)(CFTypeRef object);
    void (*reclaim)(CFTypeRef object);
    uint32_t (*count)(intptr_t operation, CFTypeRef object);
    uintptr_t alignment;
};

/// A box object: CoreFoundation's head, then our fields.
struct box {
    uintptr_t type;
    uintptr_t count;
    uint64_t information;
    const struct chatelaine_box_calls *calls;
    const void *content;
};

extern CFTypeID _CFRuntimeRegisterClass(const struct runtime_class *class);
extern CFTypeRef _CFRuntimeCreateInstance(CFAllocatorRef, CFTypeID, CFIndex extra_bytes, unsigned char *category);

/// The identifiers of our types; a slot is written once.
static _Atomic(CFTypeID) types[TYPES];

// CoreFoundation only compares two objects of the same type.
static Boolean equal(CFTypeRef first, CFTypeRef second) {
    const struct box *left = first, *right = second;
    return left->calls->equal(left->content, right->content);
}

static CFHashCode hash(CFTypeRef object) {
    const struct box *box = object;
    return box->calls->hash(box->content);
}

static CFStringRef copy_description(CFTypeRef object) {
    const struct box *box = object;
    return box->calls->copy_description(box->content);
}

static void finalize(CFTypeRef object) {
    const struct box *box = object;
    if (box->content) box->calls->release(box->content);
}

uintptr_t chatelaine_box_register(const char *name) {
    struct runtime_class *class = calloc(1, sizeof *class);
    if (!class) return 0;
    // CoreFoundation keeps the pointer for good.
    class->name = name;
    class->finalize = finalize;
    class->equal = equal;
    class->hash = hash;
    class->copy_debug_description = copy_description;
    CFTypeID type = _CFRuntimeRegisterClass(class);
    for (unsigned index = 0; type != 0 && index < TYPES; index++) {
        CFTypeID expected = 0;
        if (atomic_compare_exchange_strong(&types[index], &expected, type)) break;
    }
    return type;
}

const void *chatelaine_box_make(uintptr_t type, const struct chatelaine_box_calls *calls, const void *content) {
    struct box *box = (struct box *)_CFRuntimeCreateInstance(
        NULL, type, sizeof *box - offsetof(struct box, calls), NULL);
    if (!box) {
        calls->release(content);
        return NULL;
    }
    box->calls = calls;
    box->content = content;
    return box;
}

const void *chatelaine_box_content(const void *object, uintptr_t type) {
    return type != 0 && CFGetTypeID(object) == type ? ((const struct box *)object)->content : NULL;
}

bool chatelaine_is_box(const void *object) {
    CFTypeID type = CFGetTypeID(object);
    for (unsigned index = 0; type != 0 && index < TYPES; index++) {
        CFTypeID known = atomic_load_explicit(&types[index], memory_order_relaxed);
        if (known == type) return true;
        if (known == 0) return false;
    }
    return false;
}
