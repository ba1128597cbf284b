// Tests of keychain items: shapes of results, changes and errors (behaviour/finding.md, behaviour/updating.md).
#include <errno.h>

#include "check.h"

static CFMutableDictionaryRef item(const char *service, const char *account) {
    CFStringRef one = text(service), two = text(account);
    CFMutableDictionaryRef result = dictionary(
        kSecClass, kSecClassGenericPassword, kSecAttrService, one, kSecAttrAccount, two, NULL);
    CFRelease(one);
    CFRelease(two);
    return result;
}

static CFMutableDictionaryRef of_service(const char *service) {
    CFStringRef one = text(service);
    CFMutableDictionaryRef result = dictionary(kSecClass, kSecClassGenericPassword, kSecAttrService, one, NULL);
    CFRelease(one);
    return result;
}

static CFMutableDictionaryRef secret_item(const char *service, const char *account, const char *secret) {
    CFMutableDictionaryRef result = item(service, account);
    CFDataRef value = data(secret);
    CFDictionarySetValue(result, kSecValueData, value);
    CFRelease(value);
    return result;
}

static CFTypeRef find_one(CFMutableDictionaryRef query) {
    CFTypeRef result = found(query);
    CFRelease(query);
    return result;
}

static CFMutableDictionaryRef asking(CFMutableDictionaryRef query, CFStringRef key) {
    CFDictionarySetValue(query, key, kCFBooleanTrue);
    return query;
}

static void test_one_type(void) {
    CFTypeRef result = find_one(asking(item("shapes", "a"), kSecReturnData));
    CHECK(is_data(result, "one"));
    CFRelease(result);
    result = find_one(asking(item("shapes", "a"), kSecReturnPersistentRef));
    CHECK(result && CFGetTypeID(result) == CFDataGetTypeID() && CFDataGetLength(result) == 20);
    CFRelease(result);
    result = find_one(asking(item("shapes", "a"), kSecReturnAttributes));
    CHECK(result && CFGetTypeID(result) == CFDictionaryGetTypeID());
    CHECK(is_text(CFDictionaryGetValue(result, kSecAttrAccount), "a"));
    CHECK(is_text(CFDictionaryGetValue(result, CFSTR("svce")), "shapes"));
    CHECK(is_text(CFDictionaryGetValue(result, kSecAttrAccessible), "ak"));
    CHECK(is_number(CFDictionaryGetValue(result, kSecAttrSynchronizable), 0));
    CHECK(CFGetTypeID(CFDictionaryGetValue(result, kSecAttrCreationDate)) == CFDateGetTypeID());
    CHECK(!CFDictionaryContainsKey(result, kSecValueData) && !CFDictionaryContainsKey(result, kSecClass));
    CFRelease(result);
    result = find_one(asking(item("shapes", "a"), kSecReturnRef));
    CHECK(result && CFGetTypeID(result) == SecKeychainItemGetTypeID());
    CFRelease(result);
    CHECK(find_one(item("shapes", "a")) == NULL);
    CHECK_STATUS(find(item("shapes", "a")), errSecSuccess);
}

static void test_several(void) {
    CFTypeRef result = find_one(asking(asking(item("shapes", "b"), kSecReturnData), kSecReturnAttributes));
    CHECK(is_data(CFDictionaryGetValue(result, kSecValueData), "two"));
    CHECK(is_text(CFDictionaryGetValue(result, kSecAttrAccount), "b"));
    CFRelease(result);
    CFMutableDictionaryRef query = asking(asking(item("shapes", "b"), kSecReturnData), kSecReturnPersistentRef);
    result = find_one(asking(query, kSecReturnRef));
    CHECK(is_text(CFDictionaryGetValue(result, kSecClass), "genp"));
    CHECK(CFDictionaryContainsKey(result, kSecValuePersistentRef) && CFDictionaryContainsKey(result, kSecValueRef));
    CFRelease(result);

    query = asking(of_service("shapes"), kSecReturnData);
    CFDictionarySetValue(query, kSecMatchLimit, kSecMatchLimitAll);
    result = find_one(query);
    CHECK(result && CFGetTypeID(result) == CFArrayGetTypeID() && CFArrayGetCount(result) == 3);
    for (CFIndex index = 0; index < CFArrayGetCount(result); index++)
        CHECK(CFGetTypeID(CFArrayGetValueAtIndex(result, index)) == CFDataGetTypeID());
    CFRelease(result);
    CFNumberRef two = number(2);
    query = asking(of_service("shapes"), kSecReturnAttributes);
    CFDictionarySetValue(query, kSecMatchLimit, two);
    CFRelease(two);
    result = find_one(query);
    CHECK(result && CFGetTypeID(result) == CFArrayGetTypeID() && CFArrayGetCount(result) == 2);
    CHECK(CFGetTypeID(CFArrayGetValueAtIndex(result, 0)) == CFDictionaryGetTypeID());
    CFRelease(result);
}

/// An item has no data, and limits have every size.
static void test_little(void) {
    CFTypeRef result = CFSTR("to be written");
    CFMutableDictionaryRef bare = asking(item("shapes", "bare"), kSecReturnData);
    CHECK_STATUS(SecItemAdd(bare, &result), errSecSuccess);
    CHECK(is_data(result, ""));
    CFRelease(result);
    result = CFSTR("to be written");
    CHECK_STATUS(SecItemCopyMatching(bare, &result), errSecSuccess);
    CHECK(result == NULL);
    CFDictionarySetValue(bare, kSecMatchLimit, kSecMatchLimitAll);
    CHECK_STATUS(SecItemCopyMatching(bare, &result), errSecSuccess);
    CHECK(result && CFGetTypeID(result) == CFArrayGetTypeID() && CFArrayGetCount(result) == 0);
    CFRelease(result);
    CFDictionaryRemoveValue(bare, kSecReturnData);
    CHECK_STATUS(SecItemCopyMatching(bare, &result), errSecSuccess);
    CHECK(result && CFGetTypeID(result) == CFArrayGetTypeID() && CFArrayGetCount(result) == 0);
    CFRelease(result);
    CFRelease(bare);
    CHECK_STATUS(erase(item("shapes", "bare")), errSecSuccess);

    CFNumberRef none = number(0), below = number(-3);
    CFMutableDictionaryRef query = asking(of_service("shapes"), kSecReturnData);
    CFDictionarySetValue(query, kSecMatchLimit, none);
    result = kSecClass;
    CHECK_STATUS(SecItemCopyMatching(query, &result), errSecItemNotFound);
    CHECK(result == kSecClass);
    CFDictionarySetValue(query, kSecMatchLimit, below);
    CHECK_STATUS(SecItemCopyMatching(query, &result), errSecSuccess);
    CHECK(CFGetTypeID(result) == CFArrayGetTypeID() && CFArrayGetCount(result) == 3);
    CFRelease(result);
    CFRelease(query);
    CFRelease(below);
    CFRelease(none);
}

static void test_results_of_add(void) {
    CFTypeRef result = CFSTR("to be cleared");
    CFMutableDictionaryRef attributes = secret_item("shapes", "c", "three");
    CHECK_STATUS(SecItemAdd(attributes, &result), errSecSuccess);
    CHECK(result == NULL);
    result = CFSTR("to be cleared");
    CHECK_STATUS(SecItemAdd(attributes, &result), errSecDuplicateItem);
    CHECK(result == NULL);
    CHECK_STATUS(SecItemDelete(attributes), errSecSuccess);
    CFDictionarySetValue(attributes, kSecReturnData, kCFBooleanTrue);
    CHECK_STATUS(SecItemAdd(attributes, &result), errSecSuccess);
    CHECK(is_data(result, "three"));
    CFRelease(result);
    // The caller wants no result this time.
    CHECK_STATUS(SecItemDelete(attributes), errSecSuccess);
    CHECK_STATUS(SecItemAdd(attributes, NULL), errSecSuccess);
    CFRelease(attributes);
}

void test_shapes(void) {
    CHECK_STATUS(add(secret_item("shapes", "a", "one")), errSecSuccess);
    CHECK_STATUS(add(secret_item("shapes", "b", "two")), errSecSuccess);
    test_results_of_add();
    test_one_type();
    test_several();
    test_little();

    // A search without a match leaves the result as it is. A caller that only asks for existence needs no place for a
    // result.
    CFTypeRef untouched = kSecClass;
    CFMutableDictionaryRef query = asking(item("shapes", "nobody"), kSecReturnData);
    CHECK_STATUS(SecItemCopyMatching(query, &untouched), errSecItemNotFound);
    CHECK(untouched == kSecClass);
    CHECK_STATUS(SecItemCopyMatching(query, NULL), errSecItemNotFound);
    CFRelease(query);
    query = item("shapes", "a");
    CHECK_STATUS(SecItemCopyMatching(query, NULL), errSecSuccess);
    CHECK_STATUS(SecItemCopyMatching(asking(query, kSecReturnData), NULL), errSecSuccess);
    CHECK_STATUS(SecItemCopyMatching(asking(query, kSecReturnAttributes), NULL), errSecSuccess);
    // Success writes to the place, even if there is nothing to write.
    CFDictionaryRemoveValue(query, kSecReturnData);
    CFDictionaryRemoveValue(query, kSecReturnAttributes);
    CHECK_STATUS(SecItemCopyMatching(query, &untouched), errSecSuccess);
    CHECK(untouched == NULL);
    CFRelease(query);
    CHECK_STATUS(erase(of_service("shapes")), errSecSuccess);
    CHECK_STATUS(erase(of_service("shapes")), errSecItemNotFound);
}

static void test_persistent_reference(void) {
    CFTypeRef reference = find_one(asking(item("changes", "a"), kSecReturnPersistentRef));
    CFDataRef value = data("by reference");
    CHECK_STATUS(
        update(dictionary(kSecValuePersistentRef, reference, NULL), dictionary(kSecValueData, value, NULL)),
        errSecSuccess);
    CFTypeRef result = find_one(dictionary(kSecValuePersistentRef, reference, kSecReturnData, kCFBooleanTrue, NULL));
    CHECK(is_data(result, "by reference"));
    CFRelease(result);
    CFRelease(value);
    CHECK_STATUS(erase(dictionary(kSecValuePersistentRef, reference, NULL)), errSecSuccess);
    CHECK_STATUS(find(dictionary(kSecValuePersistentRef, reference, NULL)), errSecItemNotFound);
    CHECK_STATUS(find(dictionary(kSecValuePersistentRef, CFSTR("no data"), NULL)), errSecParam);
    CFRelease(reference);
}

void test_changes(void) {
    CHECK_STATUS(add(secret_item("changes", "a", "old")), errSecSuccess);
    CHECK_STATUS(add(secret_item("changes", "b", "other")), errSecSuccess);
    CFDataRef value = data("new");
    CHECK_STATUS(update(item("changes", "a"), dictionary(kSecValueData, value, kSecAttrLabel, CFSTR("L"), NULL)), 0);
    CFTypeRef result = find_one(asking(asking(item("changes", "a"), kSecReturnData), kSecReturnAttributes));
    CHECK(is_data(CFDictionaryGetValue(result, kSecValueData), "new"));
    CHECK(is_text(CFDictionaryGetValue(result, kSecAttrLabel), "L"));
    CFRelease(result);
    CHECK_STATUS(update(item("changes", "nobody"), dictionary(kSecValueData, value, NULL)), errSecItemNotFound);
    CFRelease(value);
    CHECK_STATUS(
        update(item("changes", "a"), dictionary(kSecAttrAccount, CFSTR("b"), NULL)), errSecDuplicateItem);
    CHECK_STATUS(update(item("changes", "a"), dictionary(NULL)), errSecSuccess);
    CHECK_STATUS(update(item("changes", "a"), dictionary(kSecValueData, CFSTR("text"), NULL)), errSecParam);
    CHECK_STATUS(update(item("changes", "a"), dictionary(CFSTR("zzzz"), CFSTR("x"), NULL)), errSecNoSuchAttr);
    CHECK_STATUS(update(item("changes", "a"), dictionary(kSecReturnData, kCFBooleanTrue, NULL)), errSecNoSuchAttr);
    // All matching items are changed and deleted; a limit is ignored.
    CHECK_STATUS(update(of_service("changes"), dictionary(kSecAttrComment, CFSTR("both"), NULL)), errSecSuccess);
    CFMutableDictionaryRef query = asking(of_service("changes"), kSecReturnAttributes);
    CFDictionarySetValue(query, kSecAttrComment, CFSTR("both"));
    CFDictionarySetValue(query, kSecMatchLimit, kSecMatchLimitAll);
    result = find_one(query);
    CHECK(CFArrayGetCount(result) == 2);
    CFRelease(result);
    test_persistent_reference();
    query = of_service("changes");
    CFDictionarySetValue(query, kSecMatchLimit, kSecMatchLimitOne);
    CHECK_STATUS(erase(query), errSecSuccess);
    CHECK_STATUS(find(of_service("changes")), errSecItemNotFound);
}

/// The status of a search with one pair more than a correct one.
static OSStatus find_with(const void *key, const void *value) {
    CFMutableDictionaryRef query = item("errors", "a");
    CFDictionarySetValue(query, key, value);
    return find(query);
}

static OSStatus add_with(const void *key, const void *value) {
    CFMutableDictionaryRef attributes = item("errors", "never there");
    CFDictionarySetValue(attributes, key, value);
    return add(attributes);
}

void test_errors(void) {
    CFNumberRef seven = number(7);
    // errno also stays where CHATELAINE_DEBUG=1 prints the mistake.
    errno = 7;
    CHECK_STATUS(find(dictionary(NULL)), errSecParam);
    CHECK(errno == 7);
    CHECK_STATUS(find(dictionary(kSecAttrAccount, CFSTR("a"), NULL)), errSecParam);
    CHECK_STATUS(find(dictionary(NULL)), errSecParam);
    CHECK_STATUS(find(dictionary(kSecClass, CFSTR("none"), NULL)), errSecNoSuchClass);
    CHECK_STATUS(find(dictionary(kSecClass, seven, NULL)), errSecParam);
    CHECK_STATUS(find_with(CFSTR("zzzz"), CFSTR("x")), errSecNoSuchAttr);
    CHECK_STATUS(find_with(kSecAttrServer, CFSTR("x")), errSecNoSuchAttr);
    CHECK_STATUS(find_with(seven, CFSTR("x")), errSecParam);
    CHECK_STATUS(find_with(kCFNull, CFSTR("x")), errSecParam);
    CHECK_STATUS(find_with(CFSTR(""), CFSTR("x")), errSecParam);
    CHECK_STATUS(find_with(CFSTR("unknown option"), CFSTR("x")), errSecParam);
    CHECK_STATUS(find_with(kSecAttrLabel, kCFNull), errSecParam);
    CHECK_STATUS(find_with(kSecReturnData, CFSTR("yes")), errSecParam);
    CHECK_STATUS(find_with(kSecMatchLimit, CFSTR("some")), errSecParam);
    CHECK_STATUS(find_with(kSecAttrAccessControl, CFSTR("none")), errSecParam);
    CHECK_STATUS(find_with(kSecAttrAccessible, CFSTR("never")), errSecParam);
    CHECK_STATUS(find_with(kSecAttrAccessGroup, CFSTR("somebody else's")), errSecMissingEntitlement);
    CHECK_STATUS(find_with(kSecAttrCreationDate, CFSTR("yesterday")), errSecParam);
    CHECK_STATUS(find_with(kSecUseDataProtectionKeychain, kCFBooleanTrue), errSecItemNotFound);
    CHECK_STATUS(find_with(kSecUseDataProtectionKeychain, kCFBooleanFalse), errSecItemNotFound);
    CHECK_STATUS(find(dictionary(kSecClass, kSecClassCertificate, NULL)), errSecItemNotFound);

    CHECK_STATUS(add_with(kSecValueData, seven), errSecParam);
    CHECK_STATUS(add_with(kSecAttrSynchronizable, kSecAttrSynchronizableAny), errSecParam);
    CHECK_STATUS(add_with(kSecAttrAccessible, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly), errSecAuthFailed);
    CHECK_STATUS(add(dictionary(kSecClass, kSecClassIdentity, NULL)), errSecParam);
    CHECK_STATUS(find(item("errors", "never there")), errSecItemNotFound);
    CFRelease(seven);
}

void test_internet_passwords(void) {
    CFNumberRef port = number(8443);
    CFDataRef value = data("pässwörd");
    CFMutableDictionaryRef attributes = dictionary(
        kSecClass, kSecClassInternetPassword, kSecAttrServer, CFSTR("mail.example.org"), kSecAttrAccount, CFSTR("ada"),
        kSecAttrProtocol, kSecAttrProtocolHTTPS, kSecAttrPort, port, kSecAttrPath, CFSTR("/login"),
        kSecAttrAuthenticationType, kSecAttrAuthenticationTypeHTTPBasic, kSecAttrSecurityDomain, CFSTR("realm"),
        kSecValueData, value, NULL);
    CHECK_STATUS(SecItemAdd(attributes, NULL), errSecSuccess);
    CHECK_STATUS(SecItemAdd(attributes, NULL), errSecDuplicateItem);
    CFMutableDictionaryRef query = dictionary(
        kSecClass, kSecClassInternetPassword, kSecAttrServer, CFSTR("mail.example.org"), kSecReturnAttributes,
        kCFBooleanTrue, kSecReturnData, kCFBooleanTrue, NULL);
    CFTypeRef result = found(query);
    CHECK(is_data(CFDictionaryGetValue(result, kSecValueData), "pässwörd"));
    CHECK(CFEqual(CFDictionaryGetValue(result, kSecAttrProtocol), kSecAttrProtocolHTTPS));
    CHECK(is_number(CFDictionaryGetValue(result, kSecAttrPort), 8443));
    CFRelease(result);
    CFMutableDictionaryRef elsewhere = with(query, kSecAttrPath, CFSTR("/elsewhere"));
    CHECK_STATUS(find(elsewhere), errSecItemNotFound);
    CHECK_STATUS(SecItemUpdate(query, query), errSecNoSuchAttr);
    CHECK_STATUS(SecItemDelete(query), errSecSuccess);
    CHECK_STATUS(SecItemDelete(query), errSecItemNotFound);
    CFRelease(query);
    CFRelease(attributes);
    CFRelease(value);
    CFRelease(port);
}
