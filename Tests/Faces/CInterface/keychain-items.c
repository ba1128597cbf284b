// Tests of a file keychain's items through the older calls, as a program for macOS uses them.
#include "check.h"

#include <stdlib.h>
#include <string.h>

static SecKeychainItemRef stored(SecKeychainRef keychain) {
    SecKeychainItemRef item = NULL;
    OSStatus status = SecKeychainAddInternetPassword(
        keychain, 11, "example.org", 0, NULL, 4, "anna", 6, "/login", 443, kSecProtocolTypeHTTPS,
        kSecAuthenticationTypeHTTPBasic, 6, "s3cret", &item);
    CHECK_STATUS(status, errSecSuccess);
    CHECK(item && CFGetTypeID(item) == SecKeychainItemGetTypeID());
    return item;
}

static void test_content(SecKeychainItemRef item) {
    SecKeychainAttribute attributes[] = {
        {kSecAccountItemAttr, 0, NULL}, {kSecPortItemAttr, 0, NULL}, {kSecProtocolItemAttr, 0, NULL},
        {kSecAuthenticationTypeItemAttr, 0, NULL}, {kSecCreationDateItemAttr, 0, NULL}, {kSecCommentItemAttr, 0, NULL},
    };
    SecKeychainAttributeList list = {sizeof attributes / sizeof attributes[0], attributes};
    SecItemClass item_class = 0;
    UInt32 length = 0;
    void *password = NULL;
    CHECK_STATUS(SecKeychainItemCopyContent(item, &item_class, &list, &length, &password), errSecSuccess);
    CHECK(item_class == kSecInternetPasswordItemClass);
    CHECK(length == 6 && password && !memcmp(password, "s3cret", 6));
    CHECK(attributes[0].length == 4 && !memcmp(attributes[0].data, "anna", 4));
    CHECK(attributes[1].length == 4 && *(UInt32 *)attributes[1].data == 443);
    CHECK(attributes[2].length == 4 && *(SecProtocolType *)attributes[2].data == kSecProtocolTypeHTTPS);
    CHECK(attributes[3].length == 4 && *(SecAuthenticationType *)attributes[3].data == kSecAuthenticationTypeHTTPBasic);
    CHECK(attributes[4].length == 16 && ((char *)attributes[4].data)[14] == 'Z');
    CHECK(attributes[5].length == 0 && !attributes[5].data);
    CHECK_STATUS(SecKeychainItemFreeContent(&list, password), errSecSuccess);
    CHECK(!attributes[0].data);

    SecKeychainAttribute comment = {kSecCommentItemAttr, 6, (void *)"remark"};
    SecKeychainAttributeList change = {1, &comment};
    CHECK_STATUS(SecKeychainItemModifyAttributesAndData(item, &change, 5, "other"), errSecSuccess);
    SecKeychainAttributeInfo *info = NULL;
    SecKeychainAttributeList *all = NULL;
    CHECK_STATUS(SecKeychainAttributeInfoForItemID(NULL, 0x80000001U, &info), errSecSuccess);
    CHECK_STATUS(SecKeychainItemCopyAttributesAndData(item, info, NULL, &all, &length, &password), errSecSuccess);
    CHECK(all && all->count == info->count && length == 5 && !memcmp(password, "other", 5));
    int found = 0;
    for (UInt32 index = 0; all && index < all->count; index++) {
        SecKeychainAttribute *one = &all->attr[index];
        if (one->tag == kSecCommentItemAttr && one->length == 6 && !memcmp(one->data, "remark", 6)) found++;
    }
    CHECK(found == 1);
    CHECK_STATUS(SecKeychainItemFreeAttributesAndData(all, password), errSecSuccess);
    CHECK_STATUS(SecKeychainFreeAttributeInfo(info), errSecSuccess);
}

static void test_item_references(SecKeychainRef keychain, SecKeychainItemRef item) {
    SecKeychainRef again = NULL;
    CHECK_STATUS(SecKeychainItemCopyKeychain(item, &again), errSecSuccess);
    CHECK(again == keychain);
    CFRelease(again);
    CFDataRef reference = NULL;
    SecKeychainItemRef same = NULL;
    CHECK_STATUS(SecKeychainItemCreatePersistentReference(item, &reference), errSecSuccess);
    CHECK_STATUS(SecKeychainItemCopyFromPersistentReference(reference, &same), errSecSuccess);
    CHECK(same && CFEqual(same, item));
    CFRelease(same);
    CFRelease(reference);
    SecAccessRef access = NULL;
    CHECK_STATUS(SecKeychainItemCopyAccess(item, &access), errSecSuccess);
    CHECK(access && CFGetTypeID(access) == SecAccessGetTypeID());
    CFRelease(access);

    const void *values[] = {keychain};
    CFArrayRef both = CFArrayCreate(NULL, values, 1, &kCFTypeArrayCallBacks);
    SecKeychainSearchRef search = NULL;
    CHECK_STATUS(
        SecKeychainSearchCreateFromAttributes(both, kSecInternetPasswordItemClass, NULL, &search), errSecSuccess);
    CHECK(search && CFGetTypeID(search) == SecKeychainSearchGetTypeID());
    CHECK_STATUS(SecKeychainSearchCopyNext(search, &same), errSecSuccess);
    CHECK(CFEqual(same, item));
    CFRelease(same);
    CHECK_STATUS(SecKeychainSearchCopyNext(search, &same), errSecItemNotFound);
    CFRelease(search);
    CFRelease(both);
}

/// The four calls of SecItem, on a password of a named keychain.
static void test_item_calls(SecKeychainRef keychain) {
    SecAccessRef access = NULL;
    CHECK_STATUS(SecAccessCreate(CFSTR("calls"), NULL, &access), errSecSuccess);
    CFDataRef secret = CFDataCreate(NULL, (const UInt8 *)"s3cret", 6);
    CFMutableDictionaryRef item = dictionary(
        kSecClass, kSecClassGenericPassword, kSecAttrService, CFSTR("calls"), kSecAttrAccount, CFSTR("anna"),
        kSecValueData, secret, kSecUseKeychain, keychain, kSecAttrAccess, access, kSecReturnRef, kCFBooleanTrue, NULL);
    CFTypeRef added = NULL;
    CHECK_STATUS(SecItemAdd(item, &added), errSecSuccess);
    CHECK(added && CFGetTypeID(added) == SecKeychainItemGetTypeID());
    CHECK_STATUS(SecItemAdd(item, NULL), errSecDuplicateItem);

    CFArrayRef list = CFArrayCreate(NULL, (const void **)&keychain, 1, &kCFTypeArrayCallBacks);
    CFArrayRef items = CFArrayCreate(NULL, &added, 1, &kCFTypeArrayCallBacks);
    CFMutableDictionaryRef queries[] = {
        dictionary(
            kSecClass, kSecClassGenericPassword, kSecAttrService, CFSTR("calls"), kSecMatchSearchList, list,
            kSecReturnData, kCFBooleanTrue, NULL),
        dictionary(
            kSecClass, kSecClassGenericPassword, kSecMatchItemList, items, kSecReturnData, kCFBooleanTrue, NULL),
        dictionary(kSecUseItemList, items, kSecReturnData, kCFBooleanTrue, NULL),
    };
    for (size_t index = 0; index < sizeof queries / sizeof queries[0]; index++) {
        CFTypeRef data = found(queries[index]);
        CHECK(data && CFEqual(data, secret));
        if (data) CFRelease(data);
        CFRelease(queries[index]);
    }
    CFMutableDictionaryRef query = dictionary(
        kSecClass, kSecClassGenericPassword, kSecAttrService, CFSTR("calls"), kSecMatchSearchList, list, NULL);
    CFMutableDictionaryRef change = dictionary(kSecAttrLabel, CFSTR("later"), NULL);
    CHECK_STATUS(SecItemUpdate(query, change), errSecSuccess);
    CHECK_STATUS(SecItemDelete(query), errSecSuccess);
    CHECK_STATUS(SecItemDelete(query), errSecItemNotFound);
    CFTypeRef all[] = {access, secret, item, added, list, items, query, change};
    for (size_t index = 0; index < sizeof all / sizeof all[0]; index++) CFRelease(all[index]);
}

/// The calls get null pointers and objects of other types.
static void test_item_mistakes(SecKeychainRef keychain, SecKeychainItemRef item) {
    SecKeychainItemRef made = NULL;
    SecKeychainAttributeList empty = {0, NULL}, torn = {1, NULL};
    void *data = NULL;
    CHECK_STATUS(SecKeychainItemDelete(NULL), errSecParam);
    CHECK_STATUS(SecKeychainItemDelete((SecKeychainItemRef)keychain), errSecParam);
    CHECK_STATUS(SecKeychainItemCopyKeychain(item, NULL), errSecParam);
    CHECK_STATUS(SecKeychainItemCopyContent(item, NULL, &torn, NULL, NULL), errSecParam);
    CHECK_STATUS(SecKeychainItemCopyContent(item, NULL, NULL, NULL, &data), errSecParam);
    SecKeychainAttributeInfo without_tags = {1, NULL, NULL};
    SecKeychainAttributeList *all = NULL;
    CHECK_STATUS(SecKeychainItemCopyAttributesAndData(item, &without_tags, NULL, &all, NULL, NULL), errSecParam);
    CHECK_STATUS(SecKeychainItemCopyAttributesAndData(item, NULL, NULL, &all, NULL, NULL), errSecParam);
    CHECK(!all);
    CHECK_STATUS(SecKeychainItemModifyContent(item, NULL, 3, NULL), errSecParam);
    CHECK_STATUS(SecKeychainItemCopyFromPersistentReference(NULL, &made), errSecParam);
    CHECK_STATUS(
        SecKeychainItemCreateFromContent(kSecCertificateItemClass, &empty, 0, NULL, keychain, NULL, &made), errSecParam);
    CHECK_STATUS(
        SecKeychainItemCreateFromContent(kSecPrivateKeyItemClass, &empty, 0, NULL, keychain, NULL, &made),
        errSecNoSuchClass);
    CHECK_STATUS(
        SecKeychainItemCreateFromContent(kSecGenericPasswordItemClass, NULL, 0, NULL, keychain, NULL, &made),
        errSecParam);
    CHECK_STATUS(SecKeychainAddGenericPassword(keychain, 1, "x", 0, NULL, 3, NULL, NULL), errSecParam);
    CHECK_STATUS(
        SecKeychainFindGenericPassword((CFTypeRef)item, 0, NULL, 0, NULL, NULL, NULL, NULL), errSecParam);
    CHECK_STATUS(SecKeychainItemFreeContent(NULL, NULL), errSecSuccess);
    CHECK_STATUS(SecKeychainFreeAttributeInfo(NULL), errSecParam);
}

void test_keychain_items(void) {
    SecKeychainRef keychain = NULL;
    CHECK_STATUS(SecKeychainCreate("c-items.keychain", 5, "horse", FALSE, NULL, &keychain), errSecSuccess);
    SecKeychainItemRef item = stored(keychain), found = NULL;
    CHECK_STATUS(
        SecKeychainFindInternetPassword(
            keychain, 11, "example.org", 0, NULL, 0, NULL, 0, NULL, 0, kSecProtocolTypeAny, kSecAuthenticationTypeAny,
            NULL, NULL, &found),
        errSecSuccess);
    CHECK(found && CFEqual(found, item));
    CFRelease(found);
    test_content(item);
    test_item_references(keychain, item);
    test_item_mistakes(keychain, item);
    test_item_calls(keychain);

    UInt32 length = 0;
    void *password = NULL;
    CHECK_STATUS(SecKeychainAddGenericPassword(keychain, 4, "mail", 4, "anna", 6, "s3cret", NULL), errSecSuccess);
    CHECK_STATUS(
        SecKeychainFindGenericPassword(keychain, 4, "mail", 4, "anna", &length, &password, NULL), errSecSuccess);
    CHECK(length == 6 && !memcmp(password, "s3cret", 6));
    // The memory comes from malloc, as on macOS.
    free(password);
    CHECK_STATUS(
        SecKeychainFindGenericPassword(keychain, 4, "mail", 3, "bob", &length, &password, NULL), errSecItemNotFound);

    CHECK_STATUS(SecKeychainItemDelete(item), errSecSuccess);
    CHECK_STATUS(SecKeychainItemDelete(item), errSecInvalidItemRef);
    CFRelease(item);
    CHECK_STATUS(SecKeychainDelete(keychain), errSecSuccess);
    CFRelease(keychain);
}
