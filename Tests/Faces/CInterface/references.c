// Tests of references to items as objects in C, and of returned dictionaries that are used again
// (behaviour/references.md).
#include <stdlib.h>
#include <sys/mman.h>

#include "check.h"

enum { ITEMS = 8 };

static CFMutableDictionaryRef host(void) {
    return dictionary(
        kSecClass, kSecClassInternetPassword, kSecAttrServer, CFSTR("references.example.org"), kSecAttrProtocol,
        kSecAttrProtocolHTTPS, NULL);
}

static CFMutableDictionaryRef account(const char *name) {
    CFMutableDictionaryRef result = host();
    CFStringRef value = text(name);
    CFDictionarySetValue(result, kSecAttrAccount, value);
    CFRelease(value);
    return result;
}

static CFMutableDictionaryRef plus(CFMutableDictionaryRef base, const void *key, const void *value) {
    CFDictionarySetValue(base, key, value);
    return base;
}

static CFTypeRef find_one(CFMutableDictionaryRef query) {
    CFTypeRef result = found(query);
    CFRelease(query);
    return result;
}

static void fill(void) {
    char name[] = "a";
    for (int index = 0; index < ITEMS; index++, name[0]++) {
        CFDataRef secret = data(name);
        CHECK_STATUS(add(plus(account(name), kSecValueData, secret)), errSecSuccess);
        CFRelease(secret);
    }
}

static CFArrayRef all_references(void) {
    return find_one(plus(plus(host(), kSecReturnRef, kCFBooleanTrue), kSecMatchLimit, kSecMatchLimitAll));
}

static CFMutableDictionaryRef listing(CFStringRef key, CFTypeRef list) {
    return dictionary(kSecClass, kSecClassInternetPassword, key, list, NULL);
}

static void test_object(void) {
    CFTypeRef one = find_one(plus(account("a"), kSecReturnRef, kCFBooleanTrue));
    CFTypeRef again = find_one(plus(account("a"), kSecReturnRef, kCFBooleanTrue));
    CFTypeRef other = find_one(plus(account("b"), kSecReturnRef, kCFBooleanTrue));
    CHECK(one && CFGetTypeID(one) == SecKeychainItemGetTypeID() && SecKeychainItemGetTypeID() != 0);
    CHECK(SecKeychainItemGetTypeID() != SecAccessControlGetTypeID());
    CHECK(one != again && CFEqual(one, again) && CFHash(one) == CFHash(again) && !CFEqual(one, other));
    CFStringRef description = CFCopyDescription(one);
    CHECK(description && CFStringFind(description, CFSTR("SecKeychainItem"), 0).location != kCFNotFound);
    CFRelease(description);
    CFStringRef name = CFCopyTypeIDDescription(SecKeychainItemGetTypeID());
    CHECK(is_text(name, "SecKeychainItem"));
    CFRelease(name);
    CFTypeRef three[] = {one, again, other};
    CFSetRef set = CFSetCreate(NULL, three, 3, &kCFTypeSetCallBacks);
    CHECK(CFSetGetCount(set) == 2);
    CFRelease(set);

    CFTypeRef result = find_one(dictionary(kSecValueRef, other, kSecReturnData, kCFBooleanTrue, NULL));
    CHECK(is_data(result, "b"));
    CFRelease(result);
    CHECK_STATUS(find(dictionary(kSecValueRef, other, kSecAttrAccount, CFSTR("a"), NULL)), errSecItemNotFound);
    CHECK_STATUS(
        find(dictionary(kSecValueRef, other, kSecClass, kSecClassGenericPassword, NULL)), errSecNoSuchClass);
    CHECK_STATUS(add(plus(account("new"), kSecValueRef, one)), errSecParam);
    CHECK_STATUS(find(plus(account("a"), kSecValueRef, kSecClass)), errSecParam);
    CHECK_STATUS(update(dictionary(kSecValueRef, one, NULL), dictionary(kSecAttrLabel, CFSTR("L"), NULL)), errSecSuccess);

    result = find_one(plus(plus(account("b"), kSecReturnRef, kCFBooleanTrue), kSecReturnAttributes, kCFBooleanTrue));
    CHECK(CFEqual(CFDictionaryGetValue(result, kSecValueRef), other));
    CHECK(CFEqual(CFDictionaryGetValue(result, kSecClass), kSecClassInternetPassword));
    CFRelease(result);
    CFRelease(one);
    CFRelease(again);
    CFRelease(other);
}

/// Both keys accept arrays of every kind.
static void test_lists(CFStringRef key) {
    CFArrayRef references = all_references();
    CHECK(references && CFArrayGetCount(references) == ITEMS);
    CFMutableArrayRef changeable = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    for (CFIndex index = 0; index < 3; index++)
        CFArrayInsertValueAtIndex(changeable, 0, CFArrayGetValueAtIndex(references, index));
    CFTypeRef persistent = find_one(plus(account("c"), kSecReturnPersistentRef, kCFBooleanTrue));
    CFArrayRef bare = CFArrayCreate(NULL, &persistent, 1, NULL);
    CFArrayCallBacks callbacks = kCFTypeArrayCallBacks;
    callbacks.equal = NULL;
    CFArrayRef own = CFArrayCreate(NULL, &persistent, 1, &callbacks);
    struct {
        CFTypeRef list;
        CFIndex count;
    } lists[] = {{references, ITEMS}, {changeable, 3}, {bare, 1}, {own, 1}};
    for (int index = 0; index < 4; index++) {
        CFTypeRef result = find_one(plus(
            plus(listing(key, lists[index].list), kSecReturnData, kCFBooleanTrue), kSecMatchLimit, kSecMatchLimitAll));
        CHECK(result && CFArrayGetCount(result) == lists[index].count);
        CFRelease(result);
    }
    CFTypeRef result = find_one(plus(listing(key, bare), kSecReturnData, kCFBooleanTrue));
    CHECK(is_data(result, "c"));
    CFRelease(result);
    CFArrayRemoveAllValues(changeable);
    CHECK_STATUS(find(listing(key, changeable)), errSecItemNotFound);
    CHECK_STATUS(add(plus(account("new"), key, bare)), errSecParam);
    CHECK_STATUS(find(listing(key, persistent)), errSecParam);
    CHECK_STATUS(find(listing(key, kCFNull)), errSecParam);
    CFTypeRef wrong[] = {kSecClass, kCFNull, references, kCFBooleanTrue};
    for (int index = 0; index < 4; index++) {
        CFArrayRef list = CFArrayCreate(NULL, &wrong[index], 1, &kCFTypeArrayCallBacks);
        CHECK_STATUS(find(listing(key, list)), errSecParam);
        CHECK_STATUS(erase(listing(key, list)), errSecParam);
        CFRelease(list);
    }
    CFDataRef bytes = data("of a file keychain");
    CFTypeRef foreign = bytes;
    CFArrayRef list = CFArrayCreate(NULL, &foreign, 1, &kCFTypeArrayCallBacks);
    CHECK_STATUS(find(listing(key, list)), errSecParam);
    CFRelease(list);
    CFRelease(bytes);
    CFRelease(own);
    CFRelease(bare);
    CFRelease(persistent);
    CFRelease(changeable);
    CFRelease(references);
}

/// The lists are such as no honest program makes.
static void test_strange_lists(void) {
    const void *pointers[] = {NULL, (const void *)1, (const void *)64, (const void *)(UINTPTR_MAX - 7)};
    for (int index = 0; index < 4; index++) {
        CFArrayRef list = CFArrayCreate(NULL, &pointers[index], 1, NULL);
        CHECK_STATUS(find(listing(kSecMatchItemList, list)), errSecParam);
        CFRelease(list);
    }
    // The object ends at the end of readable memory.
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + 4096, 4096, PROT_NONE);
    const void *edge = pages + 4096 - 16;
    CFArrayRef list = CFArrayCreate(NULL, &edge, 1, NULL);
    CHECK_STATUS(find(listing(kSecMatchItemList, list)), errSecParam);
    CFRelease(list);
    munmap(pages, 8192);

    CFTypeRef reference = find_one(plus(account("a"), kSecReturnRef, kCFBooleanTrue));
    CFMutableArrayRef longest = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    for (int index = 0; index < 16384; index++) CFArrayAppendValue(longest, reference);
    CHECK_STATUS(find(listing(kSecMatchItemList, longest)), errSecSuccess);
    CFArrayAppendValue(longest, reference);
    CHECK_STATUS(find(listing(kSecMatchItemList, longest)), errSecParam);
    CFRelease(longest);
    CFRelease(reference);
}

/// git-credential-osxkeychain erases so: it asks for all references, reads the secrets one by one, and deletes the
/// item.
static void test_erasing(void) {
    CFArrayRef references = all_references();
    for (CFIndex index = 0; index < CFArrayGetCount(references); index++) {
        const void *reference = CFArrayGetValueAtIndex(references, index);
        CFArrayRef list = CFArrayCreate(NULL, &reference, 1, &kCFTypeArrayCallBacks);
        CFTypeRef secret = find_one(plus(listing(kSecMatchItemList, list), kSecReturnData, kCFBooleanTrue));
        CHECK(secret && CFGetTypeID(secret) == CFDataGetTypeID());
        CFRelease(secret);
        CHECK_STATUS(erase(listing(kSecMatchItemList, list)), errSecSuccess);
        CHECK_STATUS(erase(listing(kSecMatchItemList, list)), errSecItemNotFound);
        CHECK_STATUS(find(dictionary(kSecValueRef, reference, NULL)), errSecItemNotFound);
        CFRelease(list);
    }
    CFRelease(references);
    CHECK_STATUS(find(host()), errSecItemNotFound);
}

static void test_used_again(void) {
    CFMutableDictionaryRef query = plus(account("a"), kSecReturnAttributes, kCFBooleanTrue);
    query = plus(plus(query, kSecReturnPersistentRef, kCFBooleanTrue), kSecReturnData, kCFBooleanTrue);
    CFDictionaryRef returned = find_one(query);
    CFMutableDictionaryRef again = with(returned, kSecClass, kSecClassInternetPassword);
    CFDictionaryRemoveValue(again, kSecValuePersistentRef);
    // A kind of result and another class are refused as changes; then the returned dictionary is the query.
    CHECK_STATUS(update(account("a"), with(again, kSecReturnData, kCFBooleanTrue)), errSecNoSuchAttr);
    CHECK_STATUS(
        update(account("a"), plus(account("a"), kSecClass, kSecClassGenericPassword)), errSecNoSuchAttr);
    CHECK_STATUS(update(account("a"), account("a")), errSecSuccess);
    CHECK_STATUS(SecItemCopyMatching(again, NULL), errSecSuccess);
    CHECK_STATUS(SecItemDelete(again), errSecSuccess);
    CFRelease(again);
    again = with(returned, kSecReturnPersistentRef, kCFBooleanTrue);
    CFTypeRef reference = NULL;
    CHECK_STATUS(SecItemAdd(again, &reference), errSecSuccess);
    CHECK(reference && !CFEqual(reference, CFDictionaryGetValue(returned, kSecValuePersistentRef)));
    CFRelease(reference);
    CFRelease(again);
    CFRelease(returned);
}

void test_references(void) {
    fill();
    test_object();
    test_lists(kSecMatchItemList);
    test_lists(kSecUseItemList);
    test_strange_lists();
    test_used_again();
    test_erasing();
}
