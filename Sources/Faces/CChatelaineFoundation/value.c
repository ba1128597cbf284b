// For explicit_bzero(3) in string.h.
#define _GNU_SOURCE

#include "value.h"

#include <CoreFoundation/CoreFoundation.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "chatelaine_box.h"
#include "lists.h"

enum {
    /// Far more than a request may have; a longer object was read in the middle of a change.
    BYTES_LIMIT = 256 * 1024 * 1024,
};

/// The classes whose objects CoreFoundation reads through a copy of their beginning.
static struct {
    uintptr_t string, data, number, date, array, other;
} classes;

static void learn_classes(void) {
    SInt64 zero = 0;
    CFStringRef string = CFStringCreateWithCString(NULL, "a string of some length", kCFStringEncodingUTF8);
    CFDataRef data = CFDataCreate(NULL, NULL, 0);
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberSInt64Type, &zero);
    CFDateRef date = CFDateCreate(NULL, 0);
    CFArrayRef array = CFArrayCreate(NULL, NULL, 0, NULL);
    CFUUIDRef other = CFUUIDCreate(NULL);
    classes.string = chatelaine_class_of(string);
    classes.data = chatelaine_class_of(data);
    classes.number = chatelaine_class_of(number);
    classes.date = chatelaine_class_of(date);
    classes.array = chatelaine_class_of(array);
    classes.other = chatelaine_class_of(other);
    CFRelease(string);
    CFRelease(data);
    CFRelease(number);
    CFRelease(date);
    CFRelease(array);
    CFRelease(other);
}

static enum chatelaine_taking copy(
    const void *address, size_t count, struct chatelaine_value *value, struct chatelaine_pages *pages) {
    value->count = count;
    if (count == 0) return CHATELAINE_TAKEN;
    if (count > BYTES_LIMIT) return CHATELAINE_NO_OBJECT;
    value->bytes = malloc(count);
    if (!value->bytes) return CHATELAINE_NO_MEMORY;
    if (chatelaine_read(address, value->bytes, count, pages)) return CHATELAINE_TAKEN;
    // The memory was not filled.
    free(value->bytes);
    value->bytes = NULL;
    value->count = 0;
    return CHATELAINE_NO_OBJECT;
}

/// Returns the address of contents in the original; contents inside the object are at the same offset there.
static const void *original(const void *contents, const struct chatelaine_head *head, const void *object) {
    uintptr_t offset = (uintptr_t)contents - (uintptr_t)head->bytes;
    return offset <= sizeof head->bytes ? (const char *)object + offset : contents;
}

/// Copies a string through CoreFoundation, which does not expose its contents.
static enum chatelaine_taking take_characters(CFStringRef string, CFIndex length, struct chatelaine_value *value) {
    value->kind = CHATELAINE_VALUE_UTF16;
    value->count = (size_t)length * sizeof(UniChar);
    if (length == 0) return CHATELAINE_TAKEN;
    value->bytes = malloc(value->count);
    if (!value->bytes) return CHATELAINE_NO_MEMORY;
    CFStringGetCharacters(string, CFRangeMake(0, length), value->bytes);
    return CHATELAINE_TAKEN;
}

static enum chatelaine_taking take_string(
    const void *object, const struct chatelaine_head *head, struct chatelaine_value *value,
    struct chatelaine_pages *pages) {
    CFStringRef string = (CFStringRef)(const void *)head->bytes;
    CFIndex length = CFStringGetLength(string);
    if (length < 0 || length > BYTES_LIMIT) return CHATELAINE_NO_OBJECT;
    const void *contents = CFStringGetCStringPtr(string, kCFStringEncodingASCII);
    value->kind = CHATELAINE_VALUE_ASCII;
    if (contents) return copy(original(contents, head, object), (size_t)length, value, pages);
    value->kind = CHATELAINE_VALUE_UTF16;
    contents = CFStringGetCharactersPtr(string);
    size_t size = (size_t)length * sizeof(UniChar);
    if (contents) return copy(original(contents, head, object), size, value, pages);
    // Another encoding; strings with one are immutable.
    return take_characters(object, length, value);
}

static enum chatelaine_taking take_data(
    const void *object, const struct chatelaine_head *head, struct chatelaine_value *value,
    struct chatelaine_pages *pages) {
    CFDataRef data = (CFDataRef)(const void *)head->bytes;
    CFIndex length = CFDataGetLength(data);
    value->kind = CHATELAINE_VALUE_DATA;
    if (length < 0) return CHATELAINE_NO_OBJECT;
    return copy(original(CFDataGetBytePtr(data), head, object), (size_t)length, value, pages);
}

static void take_number(CFNumberRef number, struct chatelaine_value *value) {
    value->kind = CHATELAINE_VALUE_NUMBER;
    if (!CFNumberIsFloatType(number) && CFNumberGetValue(number, kCFNumberSInt64Type, &value->number)) return;
    value->kind = CHATELAINE_VALUE_REAL;
    value->real = 0;
    CFNumberGetValue(number, kCFNumberFloat64Type, &value->real);
}

/// Takes an object of the class that CoreFoundation uses for all types without a class of their own.
static void take_other(const void *object, const struct chatelaine_head *head, struct chatelaine_value *value) {
    if (CFGetTypeID(head->bytes) == CFUUIDGetTypeID()) {
        CFUUIDBytes bytes = CFUUIDGetUUIDBytes((CFUUIDRef)(const void *)head->bytes);
        value->kind = CHATELAINE_VALUE_UUID;
        memcpy(value->uuid, &bytes, sizeof value->uuid);
    } else {
        value->kind = chatelaine_is_box(head->bytes) ? CHATELAINE_VALUE_BOX : CHATELAINE_VALUE_OTHER;
        value->object = object;
    }
}

/// Takes a string constant of the compiler, which is never changed and never freed.
static enum chatelaine_taking take_constant(
    const void *object, struct chatelaine_value *value, struct chatelaine_pages *pages) {
    const char *characters = CFStringGetCStringPtr(object, kCFStringEncodingASCII);
    CFIndex length = CFStringGetLength(object);
    value->kind = CHATELAINE_VALUE_ASCII;
    return characters ? copy(characters, (size_t)length, value, pages) : take_characters(object, length, value);
}

static enum chatelaine_taking take(
    const void *object, bool in_array, struct chatelaine_value *value, struct chatelaine_pages *pages);

static enum chatelaine_taking take_array(
    const void *object, const struct chatelaine_head *head, struct chatelaine_value *value,
    struct chatelaine_pages *pages) {
    long count = chatelaine_list_count(head);
    value->object = object;
    if (count < 0) return CHATELAINE_NO_OBJECT;
    if (count == 0) return CHATELAINE_TAKEN;
    if (count > CHATELAINE_LIST_LIMIT) count = CHATELAINE_LIST_LIMIT;
    value->bytes = calloc((size_t)count, sizeof(void *));
    value->elements = calloc((size_t)count, sizeof *value->elements);
    if (!value->bytes || !value->elements) return CHATELAINE_NO_MEMORY;
    value->count = (size_t)count;
    const void **pointers = value->bytes;
    if (!chatelaine_list_read(object, head, pointers, value->count, pages)) return CHATELAINE_NO_OBJECT;
    enum chatelaine_taking worst = CHATELAINE_TAKEN;
    for (size_t index = 0; index < value->count && worst == CHATELAINE_TAKEN; index++)
        worst = take(pointers[index], true, &value->elements[index], pages);
    return worst;
}

static enum chatelaine_taking take(
    const void *object, bool in_array, struct chatelaine_value *value, struct chatelaine_pages *pages) {
    struct chatelaine_head head;
    memset(value, 0, sizeof *value);
    if (chatelaine_is_constant(object)) return take_constant(object, value, pages);
    value->kind = CHATELAINE_VALUE_NULL;
    if (!object || object == kCFNull) return CHATELAINE_TAKEN;
    value->kind = CHATELAINE_VALUE_BOOLEAN;
    value->number = object == kCFBooleanTrue;
    if (object == kCFBooleanTrue || object == kCFBooleanFalse) return CHATELAINE_TAKEN;
    if (!chatelaine_read_head(object, &head, pages)) return CHATELAINE_NO_OBJECT;

    uintptr_t class = chatelaine_class_of(head.bytes);
    if (class == (uintptr_t)chatelaine_constant_string_class) return take_constant(object, value, pages);
    if (class == classes.string) return take_string(object, &head, value, pages);
    if (class == classes.data) return take_data(object, &head, value, pages);
    if (class == classes.number) {
        take_number((CFNumberRef)(const void *)head.bytes, value);
    } else if (class == classes.date) {
        value->kind = CHATELAINE_VALUE_DATE;
        value->real = CFDateGetAbsoluteTime((CFDateRef)(const void *)head.bytes);
    } else if (class == classes.array) {
        value->kind = CHATELAINE_VALUE_ARRAY;
        if (!in_array) return take_array(object, &head, value, pages);
    } else if (class == classes.other) {
        take_other(object, &head, value);
    } else {
        value->kind = CHATELAINE_VALUE_NATIVE;
        value->object = object;
    }
    return CHATELAINE_TAKEN;
}

enum chatelaine_taking chatelaine_value_take(
    const void *object, struct chatelaine_value *value, struct chatelaine_pages *pages) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, learn_classes);
    return take(object, false, value, pages);
}

bool chatelaine_value_has_changed(const struct chatelaine_value *value) {
    if (value->kind != CHATELAINE_VALUE_ARRAY || !value->elements) return false;
    struct chatelaine_pages pages = {0};
    struct chatelaine_head head;
    size_t size = value->count * sizeof(void *);
    if (!chatelaine_read_head(value->object, &head, &pages) || chatelaine_class_of(head.bytes) != classes.array)
        return true;
    long count = chatelaine_list_count(&head);
    if (count > CHATELAINE_LIST_LIMIT) count = CHATELAINE_LIST_LIMIT;
    if (count < 0 || (size_t)count != value->count) return true;
    const void **pointers = malloc(size);
    if (!pointers) return true;
    bool changed = !chatelaine_list_read(value->object, &head, pointers, value->count, &pages) ||
                   memcmp(pointers, value->bytes, size) != 0;
    free(pointers);
    return changed;
}

static bool is_kept(const struct chatelaine_value *value) {
    return value->kind == CHATELAINE_VALUE_BOX || value->kind == CHATELAINE_VALUE_NATIVE;
}

void chatelaine_value_retain(const struct chatelaine_value *value) {
    if (is_kept(value)) CFRetain(value->object);
    for (size_t index = 0; value->elements && index < value->count; index++)
        if (is_kept(&value->elements[index])) CFRetain(value->elements[index].object);
}

void chatelaine_value_release(const struct chatelaine_value *value) {
    if (is_kept(value)) CFRelease(value->object);
    for (size_t index = 0; value->elements && index < value->count; index++)
        if (is_kept(&value->elements[index])) CFRelease(value->elements[index].object);
}

void chatelaine_value_free(struct chatelaine_value *value) {
    for (size_t index = 0; value->elements && index < value->count; index++)
        chatelaine_value_free(&value->elements[index]);
    if (value->bytes && !value->elements) explicit_bzero(value->bytes, value->count);
    free(value->elements);
    free(value->bytes);
    value->elements = NULL;
    value->bytes = NULL;
}

bool chatelaine_object_take(const void *object, struct chatelaine_value *value) {
    struct chatelaine_pages pages = {0};
    if (chatelaine_value_take(object, value, &pages) != CHATELAINE_TAKEN) {
        chatelaine_value_free(value);
        return false;
    }
    chatelaine_value_retain(value);
    return true;
}

void chatelaine_object_free(struct chatelaine_value *value) {
    chatelaine_value_release(value);
    chatelaine_value_free(value);
}
