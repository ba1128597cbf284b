// Tests of files of keys and certificates from C (behaviour/import-export.md).
#include <string.h>

#include "check.h"
#include "samples.h"

static CFMutableDictionaryRef options(CFStringRef key, CFTypeRef object) {
    CFMutableDictionaryRef result = dictionary(kSecImportExportPassphrase, CFSTR("password"), NULL);
    if (key) CFDictionarySetValue(result, key, object);
    return result;
}

static OSStatus imported(CFDataRef file, CFMutableDictionaryRef options, CFArrayRef *items) {
    OSStatus status = SecPKCS12Import(file, options, items);
    CFRelease(options);
    return status;
}

/// The number of a keychain's items of a class, or -1 after an unexpected status.
static CFIndex count(SecKeychainRef keychain, CFStringRef item_class) {
    CFArrayRef only = list(keychain, NULL, NULL);
    CFMutableDictionaryRef query = dictionary(
        kSecClass, item_class, kSecMatchSearchList, only, kSecMatchLimit, kSecMatchLimitAll, kSecReturnAttributes,
        kCFBooleanTrue, NULL);
    CFTypeRef all = found(query);
    CFIndex result = !all ? 0 : is_of(all, CFArrayGetTypeID()) ? CFArrayGetCount(all) : -1;
    drop(all);
    CFRelease(query);
    CFRelease(only);
    return result;
}

static void test_memory(CFDataRef file) {
    CFArrayRef items = NULL;
    CHECK_STATUS(imported(file, options(kSecImportToMemoryOnly, kCFBooleanTrue), &items), errSecSuccess);
    CHECK(is_of(items, CFArrayGetTypeID()) && CFArrayGetCount(items) == 1);
    CFDictionaryRef first = items ? CFArrayGetValueAtIndex(items, 0) : NULL;
    CHECK(first && is_of(CFDictionaryGetValue(first, kSecImportItemIdentity), SecIdentityGetTypeID()));
    CHECK(is_of(CFDictionaryGetValue(first, kSecImportItemKeyID), CFDataGetTypeID()));
    CHECK(is_of(CFDictionaryGetValue(first, kSecImportItemTrust), SecTrustGetTypeID()));
    CFArrayRef chain = CFDictionaryGetValue(first, kSecImportItemCertChain);
    CHECK(is_of(chain, CFArrayGetTypeID()) && CFArrayGetCount(chain) == 3);
    CHECK(is_of(CFArrayGetValueAtIndex(chain, 2), SecCertificateGetTypeID()));
    drop(items);
}

static void test_pkcs12_arguments(CFDataRef file) {
    CFArrayRef items = NULL;
    CFMutableDictionaryRef wrong = dictionary(kSecImportExportPassphrase, CFSTR("wrong"), NULL), none = dictionary(NULL);
    CFMutableDictionaryRef right = options(NULL, NULL);
    CHECK_STATUS(SecPKCS12Import(file, wrong, &items), errSecAuthFailed);
    CHECK_STATUS(SecPKCS12Import(file, none, &items), errSecPassphraseRequired);
    CHECK_STATUS(SecPKCS12Import(NULL, right, &items), errSecParam);
    CHECK_STATUS(SecPKCS12Import((CFDataRef)right, right, &items), errSecParam);
    CHECK_STATUS(SecPKCS12Import(file, NULL, &items), errSecParam);
    CHECK_STATUS(SecPKCS12Import(file, (CFDictionaryRef)file, &items), errSecParam);
    CHECK_STATUS(SecPKCS12Import(file, right, NULL), errSecParam);
    CHECK_STATUS(imported(file, options(kSecImportExportKeychain, CFSTR("no keychain")), &items), errSecParam);
    CFDataRef nonsense = data("nonsense");
    OSStatus status = SecPKCS12Import(nonsense, right, &items);
    CHECK(status == errSecDecode || status == errSecUnknownFormat);
    CHECK(!items);
    CFRelease(nonsense);
    CFRelease(right);
    CFRelease(none);
    CFRelease(wrong);
}

/// A file is imported into a file keychain, where an access object says which programs may use the key.
static void test_into_keychain(CFDataRef file) {
    SecKeychainRef keychain = NULL;
    CHECK_STATUS(SecKeychainCreate("c-files.keychain", 5, "horse", FALSE, NULL, &keychain), errSecSuccess);
    CFArrayRef items = NULL, nobody = CFArrayCreate(NULL, NULL, 0, &kCFTypeArrayCallBacks);
    SecAccessRef access = NULL;
    CHECK_STATUS(SecAccessCreate(CFSTR("imported"), nobody, &access), errSecSuccess);
    CFMutableDictionaryRef wanted = options(kSecImportExportKeychain, keychain);
    CFDictionarySetValue(wanted, kSecImportExportAccess, access);
    CHECK_STATUS(imported(file, wanted, &items), errSecSuccess);
    CHECK(count(keychain, kSecClassIdentity) == 1 && count(keychain, kSecClassKey) == 1);
    CHECK(count(keychain, kSecClassCertificate) == 3);
    CFDictionaryRef first = items ? CFArrayGetValueAtIndex(items, 0) : NULL;
    SecIdentityRef identity = first ? (SecIdentityRef)CFDictionaryGetValue(first, kSecImportItemIdentity) : NULL;
    SecKeyRef key = NULL;
    CHECK_STATUS(SecIdentityCopyPrivateKey(identity, &key), errSecSuccess);
    SecAccessRef stored = NULL;
    CHECK_STATUS(SecKeychainItemCopyAccess((SecKeychainItemRef)key, &stored), errSecSuccess);
    CFArrayRef entries = stored ? SecAccessCopyMatchingACLList(stored, kSecACLAuthorizationSign) : NULL, programs = NULL;
    CFStringRef description = NULL;
    SecKeychainPromptSelector prompt = 0;
    CHECK(entries && CFArrayGetCount(entries) == 1);
    CHECK_STATUS(
        SecACLCopyContents((SecACLRef)CFArrayGetValueAtIndex(entries, 0), &programs, &description, &prompt),
        errSecSuccess);
    CHECK(is_text(description, "imported") && programs && CFArrayGetCount(programs) == 0);
    CHECK_STATUS(SecKeychainDelete(keychain), errSecSuccess);
    CFTypeRef objects[] = {keychain, items, nobody, access, key, stored, entries, programs, description};
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++) drop(objects[index]);
}

void test_pkcs12(void) {
    CFDataRef file = fixture("modern.p12");
    test_memory(file);
    test_pkcs12_arguments(file);
    test_into_keychain(file);
    CFRelease(file);
}

/// A new private key on a curve.
static SecKeyRef made(void) {
    CFNumberRef size = number(256);
    CFMutableDictionaryRef wanted = dictionary(kSecAttrKeyType, kSecAttrKeyTypeEC, kSecAttrKeySizeInBits, size, NULL);
    SecKeyRef key = SecKeyCreateRandomKey(wanted, NULL);
    CFRelease(wanted);
    CFRelease(size);
    CHECK(key);
    return key;
}

/// Items are exported and imported again.
static void test_round_trip(CFTypeRef items, SecExternalFormat format, CFStringRef passphrase, CFIndex expected) {
    SecItemImportExportKeyParameters parameters = {.version = SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION, .passphrase = passphrase};
    CFDataRef file = NULL;
    CHECK_STATUS(SecItemExport(items, format, kSecItemPemArmour, &parameters, &file), errSecSuccess);
    CHECK(is_of(file, CFDataGetTypeID()));
    SecExternalFormat read = kSecFormatUnknown;
    SecExternalItemType type = kSecItemTypeUnknown;
    CFArrayRef all = NULL;
    CHECK_STATUS(SecItemImport(file, NULL, &read, &type, 0, &parameters, NULL, &all), errSecSuccess);
    CHECK(is_of(all, CFArrayGetTypeID()) && CFArrayGetCount(all) == expected && read && type);
    if (expected == 1 && all) CHECK(CFEqual(CFArrayGetValueAtIndex(all, 0), items));
    drop(all);
    drop(file);
}

/// The import names the keys' attributes.
///
/// Without `kSecAttrIsExtractable`, the keys' bytes never leave the keychain.
static void test_key_attributes(SecKeyRef key) {
    SecKeychainRef keychain = NULL;
    CHECK_STATUS(SecKeychainCreate("c-attributes.keychain", 5, "horse", FALSE, NULL, &keychain), errSecSuccess);
    CFDataRef file = NULL;
    CHECK_STATUS(SecItemExport(key, kSecFormatOpenSSL, 0, NULL, &file), errSecSuccess);
    CFArrayRef sensitive = list(kSecAttrIsPermanent, kSecAttrIsSensitive, NULL);
    CFArrayRef extractable = list(kSecAttrIsPermanent, kSecAttrIsExtractable, NULL);
    for (int round = 0; round < 2; round++) {
        SecItemImportExportKeyParameters parameters = {
            .version = SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION, .keyAttributes = round ? extractable : sensitive};
        CFArrayRef items = NULL;
        CHECK_STATUS(SecItemImport(file, NULL, NULL, NULL, 0, &parameters, keychain, &items), errSecSuccess);
        SecKeyRef stored = items && CFArrayGetCount(items) ? (SecKeyRef)CFArrayGetValueAtIndex(items, 0) : NULL;
        CHECK(is_of(stored, SecKeyGetTypeID()));
        CFErrorRef error = NULL;
        CFDataRef bytes = SecKeyCopyExternalRepresentation(stored, &error);
        CHECK(round ? bytes && !error : !bytes && fails(&error, errSecUnimplemented));
        drop(bytes);
        CHECK_STATUS(SecKeychainItemDelete((SecKeychainItemRef)stored), errSecSuccess);
        drop(items);
    }
    SecItemImportExportKeyParameters odd = {.version = 0, .keyAttributes = (CFArrayRef)CFSTR("no array")};
    CHECK_STATUS(SecItemImport(file, NULL, NULL, NULL, 0, &odd, keychain, NULL), errSecParam);
    odd = (SecItemImportExportKeyParameters){.version = 0, .accessRef = (SecAccessRef)file};
    CHECK_STATUS(SecItemImport(file, NULL, NULL, NULL, 0, &odd, keychain, NULL), errSecParam);
    // The bits of the older calls: permanent and sensitive, without extractable.
    SecKeyImportExportParameters older = {.version = 0, .keyAttributes = 0x01 | 0x08};
    CFArrayRef items = NULL;
    CHECK_STATUS(SecKeychainItemImport(file, NULL, NULL, NULL, 0, &older, keychain, &items), errSecSuccess);
    CHECK(items && !SecKeyCopyExternalRepresentation((SecKeyRef)CFArrayGetValueAtIndex(items, 0), NULL));
    CHECK_STATUS(SecKeychainDelete(keychain), errSecSuccess);
    CFTypeRef objects[] = {items, keychain, file, sensitive, extractable};
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++) drop(objects[index]);
}

/// The status of a search for a private key with this flag.
static OSStatus find_flag(SecKeychainRef keychain, CFStringRef flag) {
    CFArrayRef only = list(keychain, NULL, NULL);
    OSStatus status = find(dictionary(
        kSecClass, kSecClassKey, kSecAttrKeyClass, kSecAttrKeyClassPrivate, kSecMatchSearchList, only, flag,
        kCFBooleanTrue, NULL));
    CFRelease(only);
    return status;
}

/// The import names what the keys are meant for, which searches see and which limits nothing.
static void test_key_uses(SecKeyRef key) {
    SecKeychainRef keychain = NULL;
    CHECK_STATUS(SecKeychainCreate("c-uses.keychain", 5, "horse", FALSE, NULL, &keychain), errSecSuccess);
    CFDataRef file = NULL;
    CHECK_STATUS(SecItemExport(key, kSecFormatOpenSSL, 0, NULL, &file), errSecSuccess);
    CFArrayRef signing = list(kSecAttrCanSign, NULL, NULL), odd = list(kSecAttrCanSign, kSecAttrLabel, NULL);
    SecItemImportExportKeyParameters newer = {.version = 0, .keyUsage = signing};
    SecKeyImportExportParameters older = {.version = 0, .keyUsage = 0x004};
    for (int round = 0; round < 2; round++) {
        CFArrayRef items = NULL;
        CHECK_STATUS(
            round ? SecKeychainItemImport(file, NULL, NULL, NULL, 0, &older, keychain, &items)
                  : SecItemImport(file, NULL, NULL, NULL, 0, &newer, keychain, &items),
            errSecSuccess);
        CHECK(items && CFArrayGetCount(items) == 1);
        CHECK_STATUS(find_flag(keychain, kSecAttrCanSign), errSecSuccess);
        CHECK_STATUS(find_flag(keychain, kSecAttrCanDerive), errSecItemNotFound);
        CHECK_STATUS(find_flag(keychain, kSecAttrCanDecrypt), errSecItemNotFound);
        if (items) CHECK_STATUS(SecKeychainItemDelete((SecKeychainItemRef)CFArrayGetValueAtIndex(items, 0)), errSecSuccess);
        drop(items);
    }
    CFArrayRef wrong[] = {odd, (CFArrayRef)CFSTR("no array"), (CFArrayRef)file, (CFArrayRef)0x10};
    for (size_t index = 0; index < sizeof wrong / sizeof *wrong; index++) {
        newer.keyUsage = wrong[index];
        CHECK_STATUS(SecItemImport(file, NULL, NULL, NULL, 0, &newer, keychain, NULL), errSecParam);
    }
    older.keyUsage = 0x404;
    CHECK_STATUS(SecKeychainItemImport(file, NULL, NULL, NULL, 0, &older, keychain, NULL), errSecParam);
    CHECK_STATUS(SecKeychainDelete(keychain), errSecSuccess);
    CFTypeRef objects[] = {keychain, file, signing, odd};
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++) drop(objects[index]);
}

static void test_export_arguments(SecKeyRef key, SecCertificateRef certificate) {
    CFDataRef file = NULL, nonsense = data("nonsense");
    CFArrayRef mixed = list(certificate, nonsense, NULL), items = NULL;
    SecItemImportExportKeyParameters other = {.version = 7};
    SecExternalFormat format = kSecFormatPKCS12;
    CHECK_STATUS(SecItemExport(NULL, kSecFormatUnknown, 0, NULL, &file), errSecParam);
    CHECK_STATUS(SecItemExport(nonsense, kSecFormatUnknown, 0, NULL, &file), errSecParam);
    CHECK_STATUS(SecItemExport(mixed, kSecFormatUnknown, 0, NULL, &file), errSecParam);
    CHECK_STATUS(SecItemExport(certificate, kSecFormatUnknown, 0, NULL, NULL), errSecParam);
    CHECK_STATUS(SecItemExport(certificate, kSecFormatUnknown, 0, &other, &file), errSecParam);
    CHECK_STATUS(SecItemExport(certificate, 77, 0, NULL, &file), errSecParam);
    CHECK_STATUS(SecItemExport(key, kSecFormatWrappedPKCS8, 0, NULL, &file), errSecPassphraseRequired);
    CHECK(!file);
    CHECK_STATUS(SecItemImport(NULL, NULL, NULL, NULL, 0, NULL, NULL, &items), errSecParam);
    CHECK_STATUS(SecItemImport(nonsense, NULL, NULL, NULL, 0, NULL, NULL, &items), errSecUnknownFormat);
    CHECK_STATUS(SecItemImport(nonsense, NULL, NULL, NULL, 0, &other, NULL, &items), errSecParam);
    CHECK_STATUS(SecItemImport(nonsense, NULL, NULL, NULL, 0, NULL, (SecKeychainRef)nonsense, &items), errSecParam);
    CHECK_STATUS(SecItemExport(certificate, kSecFormatX509Cert, 0, NULL, &file), errSecSuccess);
    // The file does not have the stated format, and the call names no other.
    CHECK(SecItemImport(file, NULL, &format, NULL, 0, NULL, NULL, &items) != errSecSuccess && format == kSecFormatPKCS12);
    CHECK(!items);
    CHECK_STATUS(SecItemImport(file, NULL, NULL, NULL, 0, NULL, NULL, NULL), errSecSuccess);
    CFRelease(file);
    CFRelease(mixed);
    CFRelease(nonsense);
}

void test_files(void) {
    SecKeyRef key = made();
    SecKeyRef half = SecKeyCopyPublicKey(key);
    SecCertificateRef leaf = sample_leaf(), middle = sample_middle();
    CFArrayRef both = list(leaf, middle, NULL);
    test_round_trip(leaf, kSecFormatX509Cert, NULL, 1);
    test_round_trip(key, kSecFormatOpenSSL, NULL, 1);
    test_round_trip(half, kSecFormatOpenSSL, NULL, 1);
    test_round_trip(key, kSecFormatWrappedPKCS8, CFSTR("password"), 1);
    test_round_trip(both, kSecFormatPKCS7, NULL, 2);
    test_round_trip(both, kSecFormatUnknown, NULL, 2);
    test_key_attributes(key);
    test_key_uses(key);
    test_export_arguments(key, leaf);
    CFTypeRef objects[] = {key, half, leaf, middle, both};
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++) drop(objects[index]);
}
