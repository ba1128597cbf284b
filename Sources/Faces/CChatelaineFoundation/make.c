#include "chatelaine_make.h"

#include <CoreFoundation/CoreFoundation.h>

const void *chatelaine_make_text(const uint8_t *bytes, size_t count) {
    return CFStringCreateWithBytes(NULL, bytes, (CFIndex)count, kCFStringEncodingUTF8, false);
}

const void *chatelaine_make_data(const void *bytes, size_t count) { return CFDataCreate(NULL, bytes, (CFIndex)count); }

const void *chatelaine_make_number(int64_t number) { return CFNumberCreate(NULL, kCFNumberSInt64Type, &number); }

const void *chatelaine_make_flag(bool flag) { return CFRetain(flag ? kCFBooleanTrue : kCFBooleanFalse); }

const void *chatelaine_make_real(double number) { return CFNumberCreate(NULL, kCFNumberDoubleType, &number); }

const void *chatelaine_make_date(double seconds) { return CFDateCreate(NULL, seconds); }

static void release_all(const void **objects, size_t count) {
    for (size_t index = 0; index < count; index++) CFRelease(objects[index]);
}

const void *chatelaine_make_dictionary(const void **keys, const void **values, size_t count) {
    CFDictionaryRef dictionary = CFDictionaryCreate(
        NULL, keys, values, (CFIndex)count, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    release_all(keys, count);
    release_all(values, count);
    return dictionary;
}

const void *chatelaine_make_array(const void **elements, size_t count) {
    CFArrayRef array = CFArrayCreate(NULL, elements, (CFIndex)count, &kCFTypeArrayCallBacks);
    release_all(elements, count);
    return array;
}

const void *chatelaine_make_error(intptr_t status, const void *description) {
    const void *key = kCFErrorLocalizedDescriptionKey;
    CFErrorRef error =
        CFErrorCreateWithUserInfoKeysAndValues(NULL, kCFErrorDomainOSStatus, status, &key, &description, 1);
    CFRelease(description);
    return error;
}

const void *chatelaine_make_nested_error(
    const void *domain, intptr_t code, const void *description, intptr_t status, const void *details) {
    const void *keys[] = {kCFErrorLocalizedDescriptionKey, kCFErrorUnderlyingErrorKey};
    const CFErrorRef beneath =
        CFErrorCreateWithUserInfoKeysAndValues(NULL, kCFErrorDomainOSStatus, status, keys, &details, 1);
    CFErrorRef error = NULL;
    const void *values[] = {description, beneath};
    if (beneath != NULL) {
        const CFStringRef name = domain != NULL ? (CFStringRef)domain : kCFErrorDomainOSStatus;
        error = CFErrorCreateWithUserInfoKeysAndValues(NULL, name, code, keys, values, 2);
        CFRelease(beneath);
    }
    if (domain != NULL) CFRelease(domain);
    CFRelease(description);
    CFRelease(details);
    return error;
}

void chatelaine_release(const void *object) { CFRelease(object); }

void chatelaine_retain(const void *object) { CFRetain(object); }
