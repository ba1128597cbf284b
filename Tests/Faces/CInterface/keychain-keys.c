// Tests of a file keychain's certificates and keys, as a program for macOS uses them (behaviour/keychain-items.md).
#include "check.h"

#include <string.h>

// The smallest of the sample certificates: `CN = Of The Past`.
static const UInt8 past[] = {
    0x30, 0x82, 0x01, 0x1a, 0x30, 0x81, 0xc1, 0x02, 0x14, 0x11, 0x39, 0x88,
    0xa8, 0xf2, 0x7f, 0x52, 0x86, 0x32, 0xab, 0x74, 0xb2, 0xbb, 0xf8, 0x69,
    0x50, 0xc4, 0x5e, 0x85, 0x22, 0x30, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48,
    0xce, 0x3d, 0x04, 0x03, 0x02, 0x30, 0x39, 0x31, 0x0b, 0x30, 0x09, 0x06,
    0x03, 0x55, 0x04, 0x06, 0x13, 0x02, 0x64, 0x65, 0x31, 0x14, 0x30, 0x12,
    0x06, 0x03, 0x55, 0x04, 0x0a, 0x13, 0x0b, 0x53, 0x61, 0x6d, 0x70, 0x6c,
    0x65, 0x20, 0x20, 0x6f, 0x72, 0x67, 0x31, 0x14, 0x30, 0x12, 0x06, 0x03,
    0x55, 0x04, 0x03, 0x13, 0x0b, 0x53, 0x61, 0x6d, 0x70, 0x6c, 0x65, 0x20,
    0x52, 0x6f, 0x6f, 0x74, 0x30, 0x1e, 0x17, 0x0d, 0x30, 0x31, 0x30, 0x31,
    0x30, 0x31, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x5a, 0x17, 0x0d, 0x30,
    0x32, 0x30, 0x31, 0x30, 0x31, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x5a,
    0x30, 0x16, 0x31, 0x14, 0x30, 0x12, 0x06, 0x03, 0x55, 0x04, 0x03, 0x13,
    0x0b, 0x4f, 0x66, 0x20, 0x54, 0x68, 0x65, 0x20, 0x50, 0x61, 0x73, 0x74,
    0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
    0x04, 0x96, 0x03, 0x3a, 0x8f, 0x74, 0x8a, 0xe6, 0x47, 0x18, 0x6b, 0xad,
    0x0a, 0x5a, 0xf0, 0xa8, 0xea, 0xac, 0xf4, 0x24, 0x11, 0x09, 0x8d, 0x7c,
    0x04, 0x65, 0x0c, 0xd7, 0xd5, 0x6f, 0x16, 0x16, 0x30, 0x0a, 0x06, 0x08,
    0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02, 0x03, 0x48, 0x00, 0x30,
    0x45, 0x02, 0x21, 0x00, 0xbd, 0xa7, 0xed, 0x77, 0x90, 0xfb, 0xfd, 0xe1,
    0x65, 0xe1, 0x4a, 0xc4, 0x96, 0x92, 0x2d, 0x20, 0x20, 0x76, 0x4e, 0xf7,
    0xb2, 0x3f, 0x5d, 0x6b, 0xff, 0x29, 0x29, 0x2e, 0x81, 0x07, 0x4a, 0x6d,
    0x02, 0x20, 0x12, 0x36, 0xb4, 0x23, 0xde, 0xb8, 0x90, 0x82, 0x89, 0x47,
    0x97, 0x64, 0x1a, 0x6a, 0x4d, 0xfe, 0x16, 0x75, 0xdb, 0xbe, 0x42, 0x86,
    0xbe, 0xcd, 0x80, 0xbb, 0x9f, 0xe6, 0x43, 0x49, 0xd1, 0xf6
};

static SecCertificateRef certificate(void) {
    CFDataRef der = CFDataCreate(NULL, past, sizeof past);
    SecCertificateRef made = SecCertificateCreateWithData(NULL, der);
    CHECK(made);
    CFRelease(der);
    return made;
}

/// The first item of a class; `key_class` limits keys to one class unless it is NULL.
static CFTypeRef find_of(SecKeychainRef keychain, CFStringRef item_class, CFStringRef key_class) {
    CFArrayRef list = CFArrayCreate(NULL, (const void **)&keychain, 1, &kCFTypeArrayCallBacks);
    CFMutableDictionaryRef query =
        dictionary(kSecClass, item_class, kSecMatchSearchList, list, kSecReturnRef, kCFBooleanTrue, NULL);
    if (key_class) CFDictionarySetValue(query, kSecAttrKeyClass, key_class);
    CFTypeRef result = found(query);
    CFRelease(query);
    CFRelease(list);
    return result;
}

static CFTypeRef find_in(SecKeychainRef keychain, CFStringRef item_class) { return find_of(keychain, item_class, NULL); }

static void test_certificate(SecKeychainRef keychain) {
    SecCertificateRef brought = certificate();
    CHECK_STATUS(SecCertificateAddToKeychain(brought, keychain), errSecSuccess);
    CHECK_STATUS(SecCertificateAddToKeychain(brought, keychain), errSecDuplicateItem);
    CHECK_STATUS(SecCertificateAddToKeychain(NULL, keychain), errSecParam);
    SecCertificateRef stored = (SecCertificateRef)find_in(keychain, kSecClassCertificate);
    CHECK(stored && CFGetTypeID(stored) == SecCertificateGetTypeID() && CFEqual(stored, brought));
    // A found certificate is also an item, and one that the program made is not.
    SecAccessRef access = NULL;
    CHECK_STATUS(SecKeychainItemCopyAccess((SecKeychainItemRef)stored, &access), errSecNoAccessForItem);
    CHECK_STATUS(SecKeychainItemCopyAccess((SecKeychainItemRef)brought, &access), errSecInvalidItemRef);
    SecKeychainAttribute label = {kSecLabelItemAttr, 0, NULL};
    SecKeychainAttributeList list = {1, &label};
    SecItemClass item_class = 0;
    UInt32 length = 0;
    void *der = NULL;
    CHECK_STATUS(
        SecKeychainItemCopyContent((SecKeychainItemRef)stored, &item_class, &list, &length, &der), errSecSuccess);
    CHECK(item_class == kSecCertificateItemClass && length == sizeof past && der && !memcmp(der, past, length));
    CHECK(label.length == 11 && !memcmp(label.data, "Of The Past", 11));
    CHECK_STATUS(SecKeychainItemFreeContent(&list, der), errSecSuccess);
    CHECK_STATUS(SecKeychainItemDelete((SecKeychainItemRef)stored), errSecSuccess);
    CHECK(!find_in(keychain, kSecClassCertificate));
    CFRelease(stored);
    CFRelease(brought);
}

/// The older calls describe a key by numbers.
static void test_key_attributes(SecKeychainRef keychain, SecKeyRef key) {
    enum { COUNT = 6 };
    const struct {
        SecKeychainAttrType tag;
        UInt32 value;
    } numbers[COUNT] = {
        {kSecKeyKeyClass, 1}, {kSecKeyKeyType, 73}, {kSecKeyKeySizeInBits, 256}, {kSecKeySign, 1}, {kSecKeyEncrypt, 0},
        {kSecKeyExtractable, 0},
    };
    SecKeychainAttribute attributes[COUNT + 1] = {{0}};
    for (size_t index = 0; index < COUNT; index++) attributes[index].tag = numbers[index].tag;
    attributes[COUNT].tag = kSecKeyLabel;
    SecKeychainAttributeList list = {COUNT + 1, attributes};
    SecItemClass item_class = 0;
    CHECK_STATUS(SecKeychainItemCopyContent((SecKeychainItemRef)key, &item_class, &list, NULL, NULL), errSecSuccess);
    CHECK(item_class == kSecPrivateKeyItemClass && attributes[COUNT].length == 20);
    for (size_t index = 0; index < COUNT; index++) {
        UInt32 value = ~0u;
        CHECK(attributes[index].length == sizeof value);
        if (attributes[index].length == sizeof value) memcpy(&value, attributes[index].data, sizeof value);
        CHECK(value == numbers[index].value);
    }
    // The key's label finds it, and another label does not.
    SecKeychainAttributeList label = {1, &attributes[COUNT]};
    for (int round = 0; round < 2; round++) {
        SecKeychainSearchRef search = NULL;
        SecKeychainItemRef item = NULL;
        CHECK_STATUS(
            SecKeychainSearchCreateFromAttributes(keychain, kSecPrivateKeyItemClass, &label, &search), errSecSuccess);
        CHECK_STATUS(SecKeychainSearchCopyNext(search, &item), round ? errSecItemNotFound : errSecSuccess);
        CHECK((item != NULL) == (round == 0));
        if (item) CFRelease(item);
        if (search) CFRelease(search);
        if (attributes[COUNT].data) ((UInt8 *)attributes[COUNT].data)[0] ^= 1;
    }
    CHECK_STATUS(SecKeychainItemFreeContent(&list, NULL), errSecSuccess);
    attributes[0].tag = kSecLabelItemAttr;
    CHECK_STATUS(
        SecKeychainItemCopyContent((SecKeychainItemRef)key, &item_class, &list, NULL, NULL), errSecNoSuchAttr);
}

static void test_key(SecKeychainRef keychain) {
    CFNumberRef size = number(256);
    CFMutableDictionaryRef wanted = dictionary(
        kSecAttrKeyType, kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits, size, kSecAttrIsPermanent,
        kCFBooleanTrue, kSecAttrIsExtractable, kCFBooleanFalse, kSecUseKeychain, keychain, NULL);
    CFErrorRef error = NULL;
    SecKeyRef made = SecKeyCreateRandomKey(wanted, &error);
    CHECK(made && !error);
    CFRelease(wanted);
    CFRelease(size);
    CFDataRef message = data("a message");
    CFDataRef signature =
        SecKeyCreateSignature(made, kSecKeyAlgorithmECDSASignatureMessageX962SHA256, message, &error);
    CHECK(signature && !error);
    if (signature) CFRelease(signature);
    CFRelease(message);
    CHECK(!SecKeyCopyExternalRepresentation(made, &error) && error && CFErrorGetCode(error) == errSecUnimplemented);
    if (error) CFRelease(error);
    // Without a class in the query, public keys come before private ones.
    SecKeyRef first = (SecKeyRef)find_in(keychain, kSecClassKey), public_key = SecKeyCopyPublicKey(made);
    CHECK(first && CFEqual(first, public_key));
    if (first) CFRelease(first);
    CFRelease(public_key);
    SecKeyRef stored = (SecKeyRef)find_of(keychain, kSecClassKey, kSecAttrKeyClassPrivate);
    CHECK(stored && CFEqual(stored, made));
    SecAccessRef access = NULL;
    CHECK_STATUS(SecKeychainItemCopyAccess((SecKeychainItemRef)stored, &access), errSecSuccess);
    CFArrayRef signing = access ? SecAccessCopyMatchingACLList(access, kSecACLAuthorizationSign) : NULL;
    CHECK(signing && CFArrayGetCount(signing) == 1);
    if (signing) CFRelease(signing);
    if (access) CFRelease(access);
    SecKeychainRef again = NULL;
    CHECK_STATUS(SecKeychainItemCopyKeychain((SecKeychainItemRef)stored, &again), errSecSuccess);
    CHECK(again == keychain);
    if (again) CFRelease(again);
    test_key_attributes(keychain, stored);
    CHECK_STATUS(SecKeychainItemDelete((SecKeychainItemRef)stored), errSecSuccess);
    CFRelease(stored);
    CFRelease(made);
}

// The older calls for files have another layout of key parameters than the new ones.
static void test_older_files(SecKeychainRef keychain) {
    SecCertificateRef brought = certificate();
    SecKeyImportExportParameters parameters = {.version = SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION};
    CFDataRef file = NULL;
    CHECK_STATUS(SecKeychainItemExport(brought, kSecFormatX509Cert, kSecItemPemArmour, &parameters, &file), errSecSuccess);
    CHECK(file && CFDataGetLength(file) > (CFIndex)sizeof past);
    CHECK_STATUS(SecKeychainItemExport(brought, kSecFormatPKCS12, 0, &parameters, NULL), errSecParam);
    SecExternalFormat format = kSecFormatUnknown;
    SecExternalItemType type = kSecItemTypeUnknown;
    CFArrayRef items = NULL;
    CHECK_STATUS(
        SecKeychainItemImport(file, NULL, &format, &type, 0, &parameters, keychain, &items), errSecSuccess);
    CHECK(format == kSecFormatX509Cert && type == kSecItemTypeCertificate);
    CHECK(items && CFArrayGetCount(items) == 1 && CFEqual(CFArrayGetValueAtIndex(items, 0), brought));
    SecCertificateRef stored = (SecCertificateRef)find_in(keychain, kSecClassCertificate);
    CHECK(stored);
    if (stored) CHECK_STATUS(SecKeychainItemDelete((SecKeychainItemRef)stored), errSecSuccess);
    parameters.version = 7;
    CHECK_STATUS(SecKeychainItemImport(file, NULL, NULL, NULL, 0, &parameters, keychain, NULL), errSecParam);
    CHECK_STATUS(SecKeychainItemImport(NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL), errSecParam);
    CFTypeRef objects[] = {file, items, stored, brought};
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++)
        if (objects[index]) CFRelease(objects[index]);
}

void test_keychain_keys(void) {
    SecKeychainRef keychain = NULL;
    CHECK_STATUS(SecKeychainCreate("c-keys.keychain", 5, "horse", FALSE, NULL, &keychain), errSecSuccess);
    test_certificate(keychain);
    test_key(keychain);
    test_older_files(keychain);
    // The certificate has no key in any keychain.
    SecCertificateRef lonely = certificate();
    SecIdentityRef identity = NULL;
    CHECK_STATUS(SecIdentityCreateWithCertificate(keychain, lonely, &identity), errSecItemNotFound);
    CFRelease(lonely);
    CHECK_STATUS(SecKeychainDelete(keychain), errSecSuccess);
    CFRelease(keychain);
}
