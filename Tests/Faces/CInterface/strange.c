// Tests with dictionaries that no honest program makes: every call answers, and the process survives.
#include <string.h>
#include <sys/mman.h>

#include "check.h"

/// Passes a pointer to every call.
static void check_refused(const void *pointer) {
    CFTypeRef result = NULL;
    CFMutableDictionaryRef right = dictionary(kSecClass, kSecClassGenericPassword, NULL);
    CHECK_STATUS(SecItemAdd(pointer, &result), errSecParam);
    CHECK_STATUS(SecItemAdd(pointer, NULL), errSecParam);
    CHECK_STATUS(SecItemCopyMatching(pointer, &result), errSecParam);
    CHECK_STATUS(SecItemUpdate(pointer, right), errSecParam);
    CHECK_STATUS(SecItemUpdate(right, pointer), errSecParam);
    CHECK_STATUS(SecItemDelete(pointer), errSecParam);
    CHECK(result == NULL);
    CFRelease(right);
}

/// A query without callbacks, so that nothing inspects its values.
static CFMutableDictionaryRef loose(void) {
    CFMutableDictionaryRef query = CFDictionaryCreateMutable(NULL, 0, NULL, NULL);
    CFDictionarySetValue(query, kSecClass, kSecClassGenericPassword);
    CFDictionarySetValue(query, kSecAttrService, CFSTR("strange"));
    return query;
}

static void check_refused_pair(const void *key, const void *value) {
    CFMutableDictionaryRef query = loose();
    CFDictionarySetValue(query, key, value);
    check_refused(query);
    CFRelease(query);
}

void test_strange_dictionaries(void) {
    CFMutableDictionaryRef query = loose();
    CHECK_STATUS(SecItemAdd(query, NULL), errSecSuccess);
    CHECK_STATUS(SecItemCopyMatching(query, NULL), errSecSuccess);
    CFMutableDictionaryRef changes = CFDictionaryCreateMutable(NULL, 0, NULL, NULL);
    CFDictionarySetValue(changes, kSecAttrLabel, CFSTR("label"));
    CHECK_STATUS(SecItemUpdate(query, changes), errSecSuccess);
    CFRelease(changes);
    CHECK_STATUS(SecItemDelete(query), errSecSuccess);
    CFRelease(query);

    check_refused_pair(kSecAttrLabel, NULL);
    check_refused_pair(NULL, kSecAttrLabel);
    check_refused_pair(kSecAttrLabel, (const void *)1);
    check_refused_pair(kSecAttrLabel, (const void *)8);
    check_refused_pair((const void *)24, CFSTR("x"));
    check_refused_pair(kSecAttrLabel, (const void *)(UINTPTR_MAX - 7));

    // CHATELAINE_DEBUG=1 prints this mistake (run.sh).
    CFMutableDictionaryRef named = loose();
    CFDictionarySetValue(named, kSecAttrComment, (const void *)16);
    CHECK_STATUS(SecItemDelete(named), errSecParam);
    CFRelease(named);

    // The keys are copied as strings, and the dictionary cannot change.
    CFTypeRef keys[] = {kSecClass, kSecAttrService}, values[] = {kSecClassGenericPassword, CFSTR("strange")};
    CFDictionaryRef copying =
        CFDictionaryCreate(NULL, keys, values, 2, &kCFCopyStringDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CHECK_STATUS(SecItemCopyMatching(copying, NULL), errSecItemNotFound);
    CFRelease(copying);

    // A query of up to 128 pairs is read and finds nothing; a larger one is refused unread.
    for (int count = 127; count <= 400; count += 91) {
        query = loose();
        for (int index = 0; CFDictionaryGetCount(query) < count; index++) {
            CFStringRef key = CFStringCreateWithFormat(NULL, NULL, CFSTR("match %d"), index);
            // Without callbacks, the dictionary does not retain the key, so the key is not released.
            CFDictionarySetValue(query, key, CFSTR("x"));
        }
        CHECK_STATUS(SecItemCopyMatching(query, NULL), count <= 128 ? errSecItemNotFound : errSecParam);
        const void *keys_to_free[400] = {0};
        CFDictionaryGetKeysAndValues(query, keys_to_free, NULL);
        CFIndex total = CFDictionaryGetCount(query);
        CFRelease(query);
        for (CFIndex index = 0; index < total; index++)
            if (CFStringHasPrefix(keys_to_free[index], CFSTR("match "))) CFRelease(keys_to_free[index]);
    }
}

/// A dictionary with large tables, or with tables that held other pairs before, is read correctly.
void test_roomy_dictionaries(void) {
    for (CFIndex capacity = 1; capacity <= 2000; capacity = capacity * 3 + 1) {
        CFMutableDictionaryRef query = CFDictionaryCreateMutable(
            NULL, capacity, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
        CFDictionarySetValue(query, kSecClass, kSecClassGenericPassword);
        CFDictionarySetValue(query, kSecAttrService, CFSTR("roomy"));
        CHECK_STATUS(SecItemAdd(query, NULL), errSecSuccess);
        CHECK_STATUS(SecItemCopyMatching(query, NULL), errSecSuccess);
        for (int index = 0; index < capacity; index++) {
            CFStringRef key = CFStringCreateWithFormat(NULL, NULL, CFSTR("match %d"), index);
            CFDictionarySetValue(query, key, key);
            if (index % 100 != 0) CFDictionaryRemoveValue(query, key);
            CFRelease(key);
        }
        CHECK_STATUS(SecItemCopyMatching(query, NULL), errSecSuccess);
        for (int index = 0; index < capacity; index += 100) {
            CFStringRef key = CFStringCreateWithFormat(NULL, NULL, CFSTR("match %d"), index);
            CFDictionaryRemoveValue(query, key);
            CFRelease(key);
        }
        CHECK_STATUS(SecItemDelete(query), errSecSuccess);
        CFRelease(query);
    }
}

/// Passes a dictionary as the value of a key, where it is read like the outer one.
static void check_refused_inside(CFDictionaryRef inner) {
    check_refused_pair(kSecAttrLabel, inner);
    CFNumberRef size = number(256);
    CFMutableDictionaryRef wanted = dictionary(
        kSecAttrKeyType, kSecAttrKeyTypeEC, kSecAttrKeySizeInBits, size, kSecPrivateKeyAttrs, inner, NULL);
    CFErrorRef error = NULL;
    CHECK(!SecKeyCreateRandomKey(wanted, &error) && error && CFErrorGetCode(error) == errSecParam);
    if (error) CFRelease(error);
    CFRelease(wanted);
    CFRelease(size);
}

/// The values of a query are dictionaries that hold anything.
void test_nested_dictionaries(void) {
    const void *wrong[] = {NULL, (const void *)1, (const void *)0x10, (const void *)24, (const void *)(UINTPTR_MAX - 7)};
    for (size_t index = 0; index < sizeof wrong / sizeof wrong[0]; index++) {
        for (int round = 0; round < 2; round++) {
            CFMutableDictionaryRef inner = CFDictionaryCreateMutable(NULL, 0, NULL, NULL);
            CFDictionarySetValue(inner, kSecAttrLabel, CFSTR("x"));
            CFDictionarySetValue(inner, round ? wrong[index] : kSecAttrComment, round ? CFSTR("x") : wrong[index]);
            // NULL is a value as in the outer dictionary, and no key.
            if (wrong[index] || round) check_refused_inside(inner);
            CFRelease(inner);
        }
    }
    CFMutableDictionaryRef full = CFDictionaryCreateMutable(NULL, 0, NULL, NULL);
    for (uintptr_t index = 1; index <= 200; index++)
        CFDictionarySetValue(full, (const void *)(16 * index), (const void *)(16 * index));
    check_refused_inside(full);
    CFRelease(full);

    // What an honest dictionary says of the private key counts.
    CFNumberRef size = number(256);
    CFMutableDictionaryRef inner = dictionary(kSecAttrLabel, CFSTR("inner"), NULL);
    CFMutableDictionaryRef wanted = dictionary(
        kSecAttrKeyType, kSecAttrKeyTypeEC, kSecAttrKeySizeInBits, size, kSecPrivateKeyAttrs, inner, NULL);
    SecKeyRef key = SecKeyCreateRandomKey(wanted, NULL);
    CHECK(key);
    if (key) CFRelease(key);
    CFRelease(wanted);
    CFRelease(inner);
    CFRelease(size);
}

/// The object looks like a dictionary, but its pointers are invalid.
void test_torn_dictionaries(void) {
    enum { WORDS = 8, VALUES = 6, KEYS = 7 };
    CFMutableDictionaryRef query = loose();
    for (size_t word = VALUES; word <= KEYS; word++) {
        _Alignas(16) const void *torn[2 * WORDS] = {NULL};
        memcpy(torn, query, WORDS * sizeof torn[0]);
        torn[word] = NULL;
        check_refused(torn);
        torn[word] = (const void *)(UINTPTR_MAX & ~(uintptr_t)15);
        check_refused(torn);
    }
    CFRelease(query);
}

/// Passes a pointer as a task to every call that takes one.
static void check_refused_task(const void *pointer) {
    SecTaskRef task = (SecTaskRef)pointer;
    const void *names[] = {CFSTR("x")};
    CFArrayRef list = CFArrayCreate(NULL, names, 1, &kCFTypeArrayCallBacks);
    CFErrorRef error = NULL;
    for (int call = 0; call < 3; call++) {
        CFTypeRef result = call == 0   ? SecTaskCopyValueForEntitlement(task, CFSTR("x"), &error)
                           : call == 1 ? (CFTypeRef)SecTaskCopyValuesForEntitlements(task, list, &error)
                                       : (CFTypeRef)SecTaskCopySigningIdentifier(task, &error);
        CHECK(!result && error && CFErrorGetCode(error) == errSecParam);
        if (error) CFRelease(error);
        error = NULL;
    }
    CFRelease(list);
}

void test_strange_pointers(void) {
    static const _Alignas(16) char words[64] = "aligned text where an object should be, and more of it";
    _Alignas(16) const void *fake[8] = {NULL};
    char *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + 4096, 4096, PROT_NONE);
    memset(pages, 0x41, 4096);
    fake[0] = words;
    CFMutableArrayRef array = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    CFDateRef date = CFDateCreate(NULL, 0);
    const void *wrong[] = {
        NULL, CFSTR("a string"), kSecClass, kCFBooleanTrue, kCFNull, array, date, words, words + 1, fake,
        (const void *)1, (const void *)0x18, (const void *)4096, (const void *)UINTPTR_MAX, (const void *)(UINTPTR_MAX & ~(uintptr_t)15),
        pages, pages + 4096, pages + 4096 - 8, pages + 2 * 4096 - 16, pages + 2 * 4096,
        (const void *)(uintptr_t)check_refused,
    };
    for (size_t index = 0; index < sizeof wrong / sizeof wrong[0]; index++) {
        check_refused(wrong[index]);
        check_refused_task(wrong[index]);
        if (CFGetTypeID(kSecClass) && index >= 7) {
            check_refused_pair(kSecAttrLabel, wrong[index]);
            check_refused_pair(wrong[index], CFSTR("x"));
        }
    }
    CFRelease(array);
    CFRelease(date);
    munmap(pages, 3 * 4096);
}
