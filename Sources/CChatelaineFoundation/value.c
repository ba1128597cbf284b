// Of string.h: explicit_bzero(3).
#define _GNU_SOURCE

#include "value.h"

#include <CoreFoundation/CoreFoundation.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "chatelaine_box.h"

enum {
    /// Far beyond what a request may have; a longer object is a torn one.
    BYTES_LIMIT = 256 * 1024 * 1024,
};

// CoreFoundation's functions to look into strings without copying them.
extern const UniChar *CFStringGetCharactersPtr(CFStringRef string);

/// The classes whose objects CoreFoundation reads through a copy of their beginning.
static struct {
    uintptr_t string, data, number, date, other;
} classes;

static void learn_classes(void) {
    SInt64 zero = 0;
    CFStringRef string = CFStringCreateWithCString(NULL, "a string of some length", kCFStringEncodingUTF8);
    CFDataRef data = CFDataCreate(NULL, NULL, 0);
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberSInt64Type, &zero);
    CFDateRef date = CFDateCreate(NULL, 0);
    CFUUIDRef other = CFUUIDCreate(NULL);
    classes.string = chatelaine_class_of(string);
    classes.data = chatelaine_class_of(data);
    classes.number = chatelaine_class_of(number);
    classes.date = chatelaine_class_of(date);
    classes.other = chatelaine_class_of(other);
    CFRelease(string);
    CFRelease(data);
    CFRelease(number);
    CFRelease(date);
    CFRelease(other);
}

static enum chatelaine_taking copy(
    const void *address, size_t count, struct chatelaine_value *value, struct chatelaine_pages *pages) {
    value->count = count;
    if (count == 0) return CHATELAINE_TAKEN;
    if (count > BYTES_LIMIT) return CHATELAINE_NO_OBJECT;
    value->bytes = malloc(count);
    if (!value->bytes) return CHATELAINE_NO_MEMORY;
    return chatelaine_read(address, value->bytes, count, pages) ? CHATELAINE_TAKEN : CHATELAINE_NO_OBJECT;
}

/// Where contents are: those that lie inside an object lie at the same place in the original.
static const void *original(const void *contents, const struct chatelaine_head *head, const void *object) {
    uintptr_t offset = (uintptr_t)contents - (uintptr_t)head->bytes;
    return offset <= sizeof head->bytes ? (const char *)object + offset : contents;
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
    // Some other encoding; whoever makes such a string lets nobody change it.
    value->count = size;
    if (size == 0) return CHATELAINE_TAKEN;
    value->bytes = malloc(size);
    if (!value->bytes) return CHATELAINE_NO_MEMORY;
    CFStringGetCharacters(object, CFRangeMake(0, length), value->bytes);
    return CHATELAINE_TAKEN;
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

/// An object of the class that CoreFoundation has for all types without a class of their own.
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

/// An object that is never freed, or of a class that has to be asked itself.
static enum chatelaine_taking take_whole(
    const void *object, struct chatelaine_value *value, struct chatelaine_pages *pages) {
    const char *characters = CFStringGetCStringPtr(object, kCFStringEncodingASCII);
    value->kind = CHATELAINE_VALUE_ASCII;
    if (characters) return copy(characters, (size_t)CFStringGetLength(object), value, pages);
    value->kind = CHATELAINE_VALUE_NATIVE;
    value->object = object;
    return CHATELAINE_TAKEN;
}

enum chatelaine_taking chatelaine_value_take(
    const void *object, struct chatelaine_value *value, struct chatelaine_pages *pages) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, learn_classes);
    struct chatelaine_head head;
    memset(value, 0, sizeof *value);
    if (chatelaine_is_constant(object)) return take_whole(object, value, pages);
    value->kind = CHATELAINE_VALUE_NULL;
    if (!object || object == kCFNull) return CHATELAINE_TAKEN;
    value->kind = CHATELAINE_VALUE_NUMBER;
    value->number = object == kCFBooleanTrue;
    if (object == kCFBooleanTrue || object == kCFBooleanFalse) return CHATELAINE_TAKEN;
    if (!chatelaine_read_head(object, &head, pages)) return CHATELAINE_NO_OBJECT;

    uintptr_t class = chatelaine_class_of(head.bytes);
    if (class == (uintptr_t)chatelaine_constant_string_class) return take_whole(object, value, pages);
    if (class == classes.string) return take_string(object, &head, value, pages);
    if (class == classes.data) return take_data(object, &head, value, pages);
    if (class == classes.number) {
        take_number((CFNumberRef)(const void *)head.bytes, value);
    } else if (class == classes.date) {
        value->kind = CHATELAINE_VALUE_DATE;
        value->real = CFDateGetAbsoluteTime((CFDateRef)(const void *)head.bytes);
    } else if (class == classes.other) {
        take_other(object, &head, value);
    } else {
        value->kind = CFGetTypeID(head.bytes) == CFArrayGetTypeID() ? CHATELAINE_VALUE_ARRAY : CHATELAINE_VALUE_NATIVE;
        value->object = object;
    }
    return CHATELAINE_TAKEN;
}

void chatelaine_value_free(struct chatelaine_value *value) {
    if (value->bytes) explicit_bzero(value->bytes, value->count);
    free(value->bytes);
    value->bytes = NULL;
}
