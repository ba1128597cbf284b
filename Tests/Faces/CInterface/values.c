// Tests of how values are read and returned, and of our own type (behaviour/attributes-and-dates.md).
#include <stdlib.h>
#include <string.h>

#include "check.h"

/// Stores a value as an item's account, and returns the account that a search finds.
static CFTypeRef round_trip(CFTypeRef account) {
    CFMutableDictionaryRef query = dictionary(
        kSecClass, kSecClassGenericPassword, kSecAttrService, CFSTR("values"), kSecAttrAccount, account, NULL);
    CHECK_STATUS(SecItemAdd(query, NULL), errSecSuccess);
    CFDictionarySetValue(query, kSecReturnAttributes, kCFBooleanTrue);
    CFTypeRef result = found(query);
    CHECK(result != NULL);
    CHECK_STATUS(SecItemDelete(query), errSecSuccess);
    CFRelease(query);
    if (!result) return NULL;
    CFTypeRef value = CFRetain(CFDictionaryGetValue(result, kSecAttrAccount));
    CFRelease(result);
    return value;
}

static void check_round_trip(CFTypeRef account) {
    CFTypeRef value = round_trip(account);
    CHECK(value && CFGetTypeID(value) == CFGetTypeID(account) && CFEqual(value, account));
    if (value) CFRelease(value);
    CFRelease(account);
}

static void test_strings(void) {
    const UniChar with_null[] = {'a', 0, 'b'}, alone[] = {'x', 0xd83d, 'y'};
    check_round_trip(text("plain"));
    check_round_trip(text(""));
    check_round_trip(text("Grüße, 日本語, 🗝️"));
    check_round_trip(CFStringCreateWithCharacters(NULL, with_null, 3));
    check_round_trip(CFStringCreateWithCString(NULL, "caf\xe9", kCFStringEncodingISOLatin1));
    CFMutableStringRef mutable = CFStringCreateMutable(NULL, 0);
    for (int round = 0; round < 500; round++) CFStringAppend(mutable, CFSTR("long "));
    CFStringRef umlaut = text("ü");
    CFStringAppend(mutable, umlaut);
    CFRelease(umlaut);
    check_round_trip(mutable);
    // A lone surrogate is no character, and becomes the replacement character.
    CFStringRef broken = CFStringCreateWithCharacters(NULL, alone, 3);
    CFTypeRef value = round_trip(broken);
    CHECK(is_text(value, "x\xef\xbf\xbdy"));
    CFRelease(value);
    CFRelease(broken);
}

static void test_other_types(void) {
    const UInt8 bytes[] = {0, 0xff, 0, 1};
    check_round_trip(CFDataCreate(NULL, bytes, sizeof bytes));
    check_round_trip(CFDataCreate(NULL, NULL, 0));
    check_round_trip(number(-42));
    check_round_trip(number(INT64_MAX));
    double real = 2.5;
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberFloat64Type, &real);
    CFUUIDRef uuid = CFUUIDCreate(NULL);
    CFArrayRef array = CFArrayCreate(NULL, NULL, 0, &kCFTypeArrayCallBacks);
    CFErrorRef error = CFErrorCreate(NULL, kCFErrorDomainOSStatus, -50, NULL);
    CFDictionaryRef inner = dictionary(NULL);
    const void *refused[] = {number, uuid, array, error, inner, kCFNull, kCFBooleanTrue};
    for (size_t index = 0; index < sizeof refused / sizeof refused[0]; index++) {
        CFMutableDictionaryRef query =
            dictionary(kSecClass, kSecClassGenericPassword, kSecAttrAccount, refused[index], NULL);
        CHECK_STATUS(SecItemCopyMatching(query, NULL), errSecParam);
        CHECK_STATUS(SecItemAdd(query, NULL), errSecParam);
        CHECK_STATUS(SecItemDelete(query), errSecParam);
        CFRelease(query);
        if (refused[index] != kCFNull) CFRelease(refused[index]);
    }
}

static void test_secrets(void) {
    CFMutableDictionaryRef item =
        dictionary(kSecClass, kSecClassGenericPassword, kSecAttrService, CFSTR("secrets"), NULL);
    // No secret, an empty one, text, and one that is larger than a frame of the daemon's reply.
    CFMutableDictionaryRef query = with(item, kSecReturnData, kCFBooleanTrue);
    CHECK_STATUS(SecItemAdd(item, NULL), errSecSuccess);
    CHECK_STATUS(SecItemCopyMatching(query, NULL), errSecSuccess);
    CHECK(found(query) == NULL);
    CHECK_STATUS(SecItemDelete(item), errSecSuccess);
    CFDataRef empty = data("");
    CHECK_STATUS(add(with(item, kSecValueData, empty)), errSecSuccess);
    CFRelease(empty);
    CFTypeRef result = found(query);
    CHECK(is_data(result, ""));
    CFRelease(result);
    CHECK_STATUS(SecItemDelete(item), errSecSuccess);

    CHECK_STATUS(add(with(item, kSecValueData, CFSTR("text"))), errSecSuccess);
    result = found(query);
    CHECK(is_data(result, "text"));
    CFRelease(result);
    CFMutableDataRef large = CFDataCreateMutable(NULL, 0);
    CFDataSetLength(large, 3 << 20);
    memset(CFDataGetMutableBytePtr(large), 0xa5, 3 << 20);
    CFMutableDictionaryRef change = dictionary(kSecValueData, large, NULL);
    CHECK_STATUS(SecItemUpdate(item, change), errSecSuccess);
    result = found(query);
    CHECK(result && CFEqual(result, large));
    CFRelease(result);
    CFRelease(change);
    CFRelease(large);
    CHECK_STATUS(SecItemDelete(item), errSecSuccess);
    CFRelease(query);
    CFRelease(item);
}

void test_values(void) {
    test_strings();
    test_other_types();
    test_secrets();
}

static CFDictionaryRef attributes_of(CFStringRef service) {
    CFMutableDictionaryRef query = dictionary(
        kSecClass, kSecClassGenericPassword, kSecAttrService, service, kSecReturnAttributes, kCFBooleanTrue, NULL);
    CFTypeRef result = found(query);
    CFRelease(query);
    return result;
}

void test_access_control(void) {
    CFStringRef services[] = {CFSTR("control-1"), CFSTR("control-2"), CFSTR("control-3")};
    CFStringRef classes[] = {
        kSecAttrAccessibleWhenUnlocked, kSecAttrAccessibleWhenUnlocked, kSecAttrAccessibleAfterFirstUnlock};
    CFTypeRef controls[3] = {NULL, NULL, NULL};
    for (int index = 0; index < 3; index++) {
        CFMutableDictionaryRef item = dictionary(
            kSecClass, kSecClassGenericPassword, kSecAttrService, services[index], kSecAttrAccessible, classes[index],
            NULL);
        CHECK_STATUS(add(item), errSecSuccess);
        CFDictionaryRef attributes = attributes_of(services[index]);
        controls[index] = CFRetain(CFDictionaryGetValue(attributes, kSecAttrAccessControl));
        // A returned dictionary works as a query once it has a class.
        CHECK_STATUS(find(with(attributes, kSecClass, kSecClassGenericPassword)), errSecSuccess);
        CFRelease(attributes);
        CHECK(CFGetTypeID(controls[index]) == SecAccessControlGetTypeID());
    }
    CHECK(controls[0] != controls[1] && CFEqual(controls[0], controls[1]) && !CFEqual(controls[0], controls[2]));
    CHECK(CFHash(controls[0]) == CFHash(controls[1]));
    CHECK(!CFEqual(controls[0], kSecAttrAccessibleWhenUnlocked));
    CFStringRef description = CFCopyDescription(controls[2]);
    CHECK(description && CFStringFind(description, CFSTR("SecAccessControl"), 0).location != kCFNotFound);
    CFRelease(description);
    CFStringRef name = CFCopyTypeIDDescription(SecAccessControlGetTypeID());
    CHECK(is_text(name, "SecAccessControl"));
    CFRelease(name);
    CFSetRef set = CFSetCreate(NULL, controls, 3, &kCFTypeSetCallBacks);
    CHECK(CFSetGetCount(set) == 2);
    CFRelease(set);
    for (int index = 0; index < 3; index++) {
        CFRelease(controls[index]);
        CHECK_STATUS(
            erase(dictionary(kSecClass, kSecClassGenericPassword, kSecAttrService, services[index], NULL)), 0);
    }
}

static SecAccessControlRef made(CFTypeRef protection, SecAccessControlCreateFlags flags) {
    CFErrorRef error = NULL;
    SecAccessControlRef control = SecAccessControlCreateWithFlags(NULL, protection, flags, &error);
    CHECK(control && !error);
    return control;
}

static void refuse(CFTypeRef protection, SecAccessControlCreateFlags flags) {
    CFErrorRef error = NULL;
    CHECK(!SecAccessControlCreateWithFlags(NULL, protection, flags, NULL));
    CHECK(!SecAccessControlCreateWithFlags(NULL, protection, flags, &error));
    CHECK(error && CFErrorGetCode(error) == errSecParam);
    CHECK(CFEqual(CFErrorGetDomain(error), kCFErrorDomainOSStatus));
    CFStringRef description = CFErrorCopyDescription(error);
    CHECK(description && CFStringGetLength(description) > 0);
    CFRelease(description);
    CFRelease(error);
}

void test_access_control_flags(void) {
    SecAccessControlCreateFlags either =
        kSecAccessControlDevicePasscode | kSecAccessControlBiometryAny | kSecAccessControlOr;
    SecAccessControlRef control = made(kSecAttrAccessibleWhenUnlocked, either);
    SecAccessControlRef same = made(CFSTR("ak"), either);
    SecAccessControlRef other = made(kSecAttrAccessibleAlways, either);
    SecAccessControlRef without = made(kSecAttrAccessibleWhenUnlocked, 0);
    CHECK(CFGetTypeID(control) == SecAccessControlGetTypeID());
    CHECK(control != same && CFEqual(control, same) && CFHash(control) == CFHash(same));
    CHECK(!CFEqual(control, other) && !CFEqual(control, without));
    CFStringRef description = CFCopyDescription(control);
    CHECK(description && CFStringFind(description, CFSTR("devicePasscode"), 0).location != kCFNotFound);
    CFRelease(description);
    CFRelease(same);
    CFRelease(other);
    SecAccessControlRef last =
        made(kSecAttrAccessibleWhenUnlocked, kSecAccessControlApplicationPassword | kSecAccessControlPrivateKeyUsage);
    CFRelease(last);
    CFRelease(control);
    CFRelease(without);

    refuse(NULL, 0);
    refuse(CFSTR("xx"), 0);
    refuse(CFSTR(""), kSecAccessControlUserPresence);
    refuse(kCFBooleanTrue, 0);
    refuse(kCFNull, 0);
    refuse((CFTypeRef)(uintptr_t)16, 0);
    refuse(kSecAttrAccessibleAlways, kSecAccessControlOr | kSecAccessControlAnd);
    refuse(kSecAttrAccessibleAlways, kSecAccessControlBiometryAny | kSecAccessControlBiometryCurrentSet);
    refuse(kSecAttrAccessibleAlways, kSecAccessControlUserPresence | kSecAccessControlWatch);
    refuse(kSecAttrAccessibleAlways, 1u << 2);
}

/// An item with an access control is stored, found by it, changed and deleted, where no person is needed.
void test_access_control_items(void) {
    SecAccessControlRef presence = made(kSecAttrAccessibleWhenUnlocked, kSecAccessControlUserPresence);
    SecAccessControlRef without = made(kSecAttrAccessibleWhenUnlocked, 0);
    CFMutableDictionaryRef item = dictionary(
        kSecClass, kSecClassGenericPassword, kSecAttrService, CFSTR("free"), kSecAttrAccessControl, without,
        kSecValueData, CFSTR("secret"), NULL);
    CHECK_STATUS(add(with(item, kSecAttrAccessible, kSecAttrAccessibleWhenUnlocked)), errSecParam);
    CHECK_STATUS(add(with(item, kSecAttrSynchronizable, kCFBooleanTrue)), errSecSuccess);
    CHECK_STATUS(erase(with(item, kSecAttrSynchronizable, kCFBooleanTrue)), errSecSuccess);
    CHECK_STATUS(SecItemAdd(item, NULL), errSecSuccess);
    CHECK_STATUS(SecItemAdd(item, NULL), errSecDuplicateItem);
    CFDictionaryRef attributes = attributes_of(CFSTR("free"));
    CHECK(CFEqual(CFDictionaryGetValue(attributes, kSecAttrAccessControl), without));
    // The dictionary has the class beside the object, and is a query as it is.
    CHECK_STATUS(find(with(attributes, kSecClass, kSecClassGenericPassword)), errSecSuccess);
    CHECK_STATUS(add(with(attributes, kSecClass, kSecClassGenericPassword)), errSecDuplicateItem);
    CFRelease(attributes);
    CFMutableDictionaryRef query = dictionary(
        kSecClass, kSecClassGenericPassword, kSecAttrAccessControl, without, kSecReturnData, kCFBooleanTrue, NULL);
    CFTypeRef secret = found(query);
    CHECK(secret && CFDataGetLength(secret) == 6);
    CFRelease(secret);
    CFDictionarySetValue(query, kSecAttrAccessControl, presence);
    CHECK_STATUS(find(query), errSecItemNotFound);
    CHECK_STATUS(erase(dictionary(kSecClass, kSecClassGenericPassword, kSecAttrAccessControl, without, NULL)), 0);
    CFRelease(item);
    CFRelease(presence);
    CFRelease(without);
}
