// Tests of keychain keys as objects in C (behaviour/keys.md).
#include "check.h"

static CFMutableDictionaryRef tagged(void) {
    CFDataRef tag = data("org.example.keys-in-c");
    CFMutableDictionaryRef result = dictionary(kSecClass, kSecClassKey, kSecAttrApplicationTag, tag, NULL);
    CFRelease(tag);
    return result;
}

static CFMutableDictionaryRef adding(SecKeyRef key) {
    CFMutableDictionaryRef result = tagged();
    CFDictionarySetValue(result, kSecValueRef, key);
    return result;
}

static SecKeyRef find_private(void) {
    CFMutableDictionaryRef query = tagged();
    CFDictionarySetValue(query, kSecAttrKeyClass, kSecAttrKeyClassPrivate);
    CFDictionarySetValue(query, kSecReturnRef, kCFBooleanTrue);
    CFTypeRef result = found(query);
    CFRelease(query);
    CHECK(result && CFGetTypeID(result) == SecKeyGetTypeID());
    return (SecKeyRef)result;
}

static CFMutableDictionaryRef parameters(CFStringRef token) {
    CFDataRef tag = data("org.example.keys-in-c");
    CFNumberRef size = number(256);
    CFMutableDictionaryRef part = dictionary(kSecAttrIsPermanent, kCFBooleanTrue, kSecAttrApplicationTag, tag, NULL);
    CFMutableDictionaryRef all = dictionary(
        kSecAttrKeyType, kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits, size, kSecPrivateKeyAttrs, part, NULL);
    if (token) CFDictionarySetValue(all, kSecAttrTokenID, token);
    CFRelease(part);
    CFRelease(size);
    CFRelease(tag);
    return all;
}

static void use(SecKeyRef key) {
    CFDataRef message = data("a message");
    SecKeyRef half = SecKeyCopyPublicKey(key);
    CFErrorRef error = NULL;
    CFDataRef signature =
        SecKeyCreateSignature(key, kSecKeyAlgorithmECDSASignatureMessageX962SHA256, message, &error);
    CHECK(signature && !error && half);
    if (signature && half)
        CHECK(SecKeyVerifySignature(half, kSecKeyAlgorithmECDSASignatureMessageX962SHA256, message, signature, NULL));
    if (signature) CFRelease(signature);
    if (half) CFRelease(half);
    CFRelease(message);
}

static void make_and_use(CFStringRef token) {
    CFMutableDictionaryRef wanted = parameters(token);
    CFErrorRef error = NULL;
    SecKeyRef made = SecKeyCreateRandomKey(wanted, &error);
    CFRelease(wanted);
    CHECK(made && !error);
    SecKeyRef key = find_private();
    if (!made || !key) return;
    CHECK(CFEqual(made, key));
    use(key);
    CFDataRef bytes = SecKeyCopyExternalRepresentation(key, &error);
    CHECK((bytes != NULL) == (token == NULL));
    if (error) CHECK(CFErrorGetCode(error) == errSecUnimplemented);
    if (error) CFRelease(error);
    if (bytes) CFRelease(bytes);
    // The object finds its item.
    CFMutableDictionaryRef named = dictionary(kSecValueRef, key, NULL);
    CHECK_STATUS(erase(named), errSecSuccess);
    error = NULL;
    CFDataRef message = data("a message");
    CHECK(!SecKeyCreateSignature(key, kSecKeyAlgorithmECDSASignatureMessageX962SHA256, message, &error));
    CHECK(error && CFErrorGetCode(error) == errSecItemNotFound);
    CFRelease(message);
    if (error) CFRelease(error);
    CFRelease(key);
    CFRelease(made);
}

/// A key of the enclave is no item; the program keeps its bytes and reads them again.
void test_detached_keys(void) {
    CFMutableDictionaryRef part = dictionary(kSecAttrIsPermanent, kCFBooleanFalse, NULL);
    CFMutableDictionaryRef wanted = parameters(kSecAttrTokenIDSecureEnclave);
    CFDictionarySetValue(wanted, kSecPrivateKeyAttrs, part);
    CFErrorRef error = NULL;
    SecKeyRef made = SecKeyCreateRandomKey(wanted, &error);
    CHECK(made && !error);
    if (!made) return;
    use(made);
    CFDictionaryRef attributes = SecKeyCopyAttributes(made);
    CFDataRef kept = attributes ? CFDictionaryGetValue(attributes, CFSTR("toid")) : NULL;
    CHECK(kept && CFGetTypeID(kept) == CFDataGetTypeID());
    if (!kept) return;
    SecKeyRef again = SecKeyCreateWithData(kept, wanted, &error);
    CHECK(again && !error && CFEqual(again, made));
    if (again) use(again);
    CFDataRef other = data("no such key");
    CHECK(!SecKeyCreateWithData(other, wanted, &error) && error && CFErrorGetCode(error) == errSecDecode);
    if (error) CFRelease(error);
    CFRelease(other);
    if (again) CFRelease(again);
    CFRelease(attributes);
    CFRelease(made);
    CFRelease(wanted);
    CFRelease(part);
}

void test_key_items(void) {
    make_and_use(NULL);
    make_and_use(kSecAttrTokenIDSecureEnclave);
    // A key in memory is added with its own attributes.
    CFNumberRef size = number(1024);
    CFMutableDictionaryRef wanted = dictionary(kSecAttrKeyType, kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits, size, NULL);
    SecKeyRef key = SecKeyCreateRandomKey(wanted, NULL);
    CFRelease(wanted);
    CFRelease(size);
    CHECK(key != NULL);
    if (!key) return;
    CHECK_STATUS(add(adding(key)), errSecSuccess);
    CHECK_STATUS(add(adding(key)), errSecDuplicateItem);
    SecKeyRef stored = find_private();
    CHECK(stored && CFEqual(stored, key) && SecKeyGetBlockSize(stored) == 128);
    if (stored) CFRelease(stored);
    CHECK_STATUS(erase(tagged()), errSecSuccess);
    CFRelease(key);
}
