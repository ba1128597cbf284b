#include "check.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static atomic_int failed;

int failures(void) { return failed; }

void check(bool holds, const char *what, const char *file, int line) {
    if (holds) return;
    failed++;
    fprintf(stderr, "%s:%d: error: not so: %s\n", file, line, what);
}

void check_status(OSStatus status, OSStatus expected, const char *what, const char *file, int line) {
    if (status == expected) return;
    failed++;
    fprintf(stderr, "%s:%d: error: %d instead of %d: %s\n", file, line, status, expected, what);
}

CFMutableDictionaryRef dictionary(const void *key, ...) {
    CFMutableDictionaryRef result =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    va_list arguments;
    va_start(arguments, key);
    while (key) {
        const void *value = va_arg(arguments, const void *);
        CFDictionarySetValue(result, key, value);
        key = va_arg(arguments, const void *);
    }
    va_end(arguments);
    return result;
}

CFMutableDictionaryRef with(CFDictionaryRef base, const void *key, const void *value) {
    CFMutableDictionaryRef result = CFDictionaryCreateMutableCopy(NULL, 0, base);
    CFDictionarySetValue(result, key, value);
    return result;
}

CFStringRef text(const char *utf8) { return CFStringCreateWithCString(NULL, utf8, kCFStringEncodingUTF8); }

CFDataRef data(const char *bytes) { return CFDataCreate(NULL, (const UInt8 *)bytes, (CFIndex)strlen(bytes)); }

CFNumberRef number(SInt64 number) { return CFNumberCreate(NULL, kCFNumberSInt64Type, &number); }

CFTypeRef found(CFDictionaryRef query) {
    CFTypeRef result = NULL;
    OSStatus status = SecItemCopyMatching(query, &result);
    CHECK(status == errSecSuccess || status == errSecItemNotFound);
    return result;
}

bool is_data(CFTypeRef object, const char *bytes) {
    if (!object || CFGetTypeID(object) != CFDataGetTypeID()) return false;
    return CFDataGetLength(object) == (CFIndex)strlen(bytes) &&
           memcmp(CFDataGetBytePtr(object), bytes, strlen(bytes)) == 0;
}

bool is_text(CFTypeRef object, const char *utf8) {
    if (!object || CFGetTypeID(object) != CFStringGetTypeID()) return false;
    CFStringRef expected = text(utf8);
    bool same = CFEqual(object, expected);
    CFRelease(expected);
    return same;
}

bool is_number(CFTypeRef object, SInt64 expected) {
    SInt64 value = 0;
    if (!object || CFGetTypeID(object) != CFNumberGetTypeID()) return false;
    return CFNumberGetValue(object, kCFNumberSInt64Type, &value) && value == expected;
}

OSStatus add(CFMutableDictionaryRef attributes) {
    OSStatus status = SecItemAdd(attributes, NULL);
    CFRelease(attributes);
    return status;
}

OSStatus find(CFMutableDictionaryRef query) {
    CFTypeRef result = NULL;
    OSStatus status = SecItemCopyMatching(query, &result);
    CFRelease(query);
    if (result) CFRelease(result);
    return status;
}

OSStatus update(CFMutableDictionaryRef query, CFMutableDictionaryRef changes) {
    OSStatus status = SecItemUpdate(query, changes);
    CFRelease(query);
    CFRelease(changes);
    return status;
}

OSStatus erase(CFMutableDictionaryRef query) {
    OSStatus status = SecItemDelete(query);
    CFRelease(query);
    return status;
}
