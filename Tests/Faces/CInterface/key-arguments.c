// Tests of wrong arguments from C: no key, no algorithm, no data, and no place for a result
// (behaviour/keys-in-memory.md).
#include <string.h>

#include "check.h"
#include "samples.h"

static SecKeyRef made(CFStringRef type, SInt64 bits) {
    CFNumberRef size = number(bits);
    CFMutableDictionaryRef wanted = dictionary(kSecAttrKeyType, type, kSecAttrKeySizeInBits, size, NULL);
    SecKeyRef key = SecKeyCreateRandomKey(wanted, NULL);
    CFRelease(wanted);
    CFRelease(size);
    CHECK(key);
    return key;
}

/// Each call gets an object that is no key.
static void test_no_key(SecKeyRef none, CFDataRef message) {
    CFErrorRef error = NULL;
    SecKeyAlgorithm signing = kSecKeyAlgorithmECDSASignatureMessageX962SHA256;
    SecKeyAlgorithm sealing = kSecKeyAlgorithmECIESEncryptionStandardX963SHA256AESGCM;
    CHECK(!SecKeyCopyExternalRepresentation(none, &error) && fails(&error, errSecParam));
    CHECK(!SecKeyCopyPublicKey(none) && !SecKeyCopyAttributes(none) && !SecKeyGetBlockSize(none));
    CHECK(!SecKeyIsAlgorithmSupported(none, kSecKeyOperationTypeSign, signing));
    CHECK(!SecKeyCreateSignature(none, signing, message, &error) && fails(&error, errSecParam));
    CHECK(!SecKeyVerifySignature(none, signing, message, message, &error) && fails(&error, errSecParam));
    CHECK(!SecKeyCreateEncryptedData(none, sealing, message, &error) && fails(&error, errSecParam));
    CHECK(!SecKeyCreateDecryptedData(none, sealing, message, &error) && fails(&error, errSecParam));
    uint8_t block[256] = {0};
    size_t count = sizeof block;
    CHECK_STATUS(SecKeyRawSign(none, kSecPaddingPKCS1, block, 20, block, &count), errSecParam);
    CHECK_STATUS(SecKeyRawVerify(none, kSecPaddingPKCS1, block, 20, block, 256), errSecParam);
    CHECK_STATUS(SecKeyEncrypt(none, kSecPaddingPKCS1, block, 20, block, &count), errSecParam);
    CHECK_STATUS(SecKeyDecrypt(none, kSecPaddingPKCS1, block, 256, block, &count), errSecParam);
    CHECK(!SecKeyWrapSymmetric(none, none, NULL, &error) && fails(&error, errSecParam));
    CHECK(!SecKeyUnwrapSymmetric(&message, none, NULL, &error) && fails(&error, errSecParam));
}

/// The calls get a key with missing or wrong arguments.
static void test_no_arguments(SecKeyRef key, SecKeyRef half, CFDataRef message) {
    CFErrorRef error = NULL;
    SecKeyAlgorithm signing = kSecKeyAlgorithmECDSASignatureMessageX962SHA256;
    SecKeyAlgorithm sealing = kSecKeyAlgorithmECIESEncryptionStandardX963SHA256AESGCM;
    CHECK(!SecKeyCreateSignature(key, NULL, message, &error) && fails(&error, errSecParam));
    CHECK(!SecKeyCreateSignature(key, (SecKeyAlgorithm)message, message, &error) && fails(&error, errSecParam));
    CHECK(!SecKeyCreateSignature(key, signing, NULL, &error) && fails(&error, errSecParam));
    CHECK(!SecKeyCreateSignature(key, sealing, message, NULL));
    CHECK(!SecKeyVerifySignature(half, signing, NULL, message, &error) && fails(&error, errSecParam));
    CHECK(!SecKeyVerifySignature(half, signing, message, NULL, &error) && fails(&error, errSecParam));
    CHECK(!SecKeyVerifySignature(half, signing, message, message, &error) && fails(&error, errSecVerifyFailed));
    CHECK(!SecKeyVerifySignature(half, NULL, message, message, NULL));
    CHECK(!SecKeyCreateEncryptedData(half, NULL, message, &error) && fails(&error, errSecParam));
    CHECK(!SecKeyCreateEncryptedData(half, sealing, NULL, &error) && fails(&error, errSecParam));
    CHECK(!SecKeyCreateDecryptedData(key, sealing, NULL, &error) && fails(&error, errSecParam));
    SecKeyAlgorithm agreeing = kSecKeyAlgorithmECDHKeyExchangeStandard;
    CFMutableDictionaryRef nothing = dictionary(NULL);
    CHECK(!SecKeyCopyKeyExchangeResult(key, agreeing, NULL, nothing, &error) && fails(&error, errSecParam));
    CHECK(!SecKeyCopyKeyExchangeResult(NULL, agreeing, half, nothing, &error) && fails(&error, errSecParam));
    CHECK(!SecKeyCopyKeyExchangeResult(half, agreeing, half, nothing, &error) && fails(&error, errSecParam));
    CHECK(!SecKeyCopyKeyExchangeResult(key, NULL, half, nothing, &error) && fails(&error, errSecParam));
    CHECK(!SecKeyCopyKeyExchangeResult(key, agreeing, half, NULL, &error) && fails(&error, errSecParam));
    CFDataRef shared = SecKeyCopyKeyExchangeResult(key, agreeing, half, nothing, &error);
    CHECK(is_of(shared, CFDataGetTypeID()) && CFDataGetLength(shared) == 32 && !error);
    drop(shared);
    CFRelease(nothing);
}

static void test_constructors(CFDataRef message) {
    CFErrorRef error = NULL;
    CHECK(!SecKeyCreateRandomKey(NULL, NULL));
    CHECK(!SecKeyCreateRandomKey((CFDictionaryRef)message, &error) && fails(&error, errSecParam));
    SecKeyRef first = NULL, second = NULL;
    CHECK_STATUS(SecKeyGeneratePair(NULL, &first, &second), errSecParam);
    CHECK(!SecKeyCreateWithData(NULL, NULL, &error) && fails(&error, errSecParam));
    CHECK(!SecKeyCreateWithData(message, NULL, &error) && fails(&error, errSecParam));
    CFNumberRef size = number(256);
    CFMutableDictionaryRef wanted =
        dictionary(kSecAttrKeyType, kSecAttrKeyTypeEC, kSecAttrKeySizeInBits, size, NULL);
    CHECK(!SecKeyCreateWithData((CFDataRef)wanted, wanted, &error) && fails(&error, errSecParam));
    // A caller may ask for one half alone, but not for none.
    CHECK_STATUS(SecKeyGeneratePair(wanted, NULL, &second), errSecSuccess);
    CHECK(!first && is_of(second, SecKeyGetTypeID()));
    drop(second);
    CHECK(!SecKeyGenerateSymmetric(NULL, &error) && fails(&error, errSecParam));
    CHECK(!SecKeyCreateFromData(NULL, message, &error) && fails(&error, errSecParam));
    CHECK(!SecKeyCreateFromData(wanted, NULL, &error) && fails(&error, errSecParam));
    CHECK(!SecKeyDeriveFromPassword(NULL, wanted, &error) && fails(&error, errSecParam));
    CFRelease(wanted);
    CFRelease(size);
}

/// The older constructor reads the form of keys in files (behaviour/keys-in-memory.md, 19).
static void test_older_constructor(SecKeyRef key, SecKeyRef half) {
    CFErrorRef error = NULL;
    CFMutableDictionaryRef wanted =
        dictionary(kSecAttrKeyType, kSecAttrKeyTypeEC, kSecAttrKeyClass, kSecAttrKeyClassPrivate, NULL);
    CFDataRef sec1 = NULL, bytes = SecKeyCopyExternalRepresentation(key, NULL), point = SecKeyCopyExternalRepresentation(half, NULL);
    CHECK_STATUS(SecItemExport(key, kSecFormatOpenSSL, 0, NULL, &sec1), errSecSuccess);
    CFDataRef both[] = {sec1, bytes};
    for (size_t index = 0; index < 2; index++) {
        SecKeyRef read = SecKeyCreateFromData(wanted, both[index], &error);
        CHECK(read && !error && CFEqual(read, key));
        drop(read);
    }
    CHECK(!SecKeyCreateWithData(sec1, wanted, &error) && fails(&error, errSecParam));
    // The data is cut off, or of another size, class or type.
    CFDataRef cut = CFDataCreate(NULL, CFDataGetBytePtr(sec1), CFDataGetLength(sec1) - 1);
    CHECK(!SecKeyCreateFromData(wanted, cut, &error) && fails(&error, errSecParam));
    CFNumberRef size = number(384);
    CFDictionarySetValue(wanted, kSecAttrKeySizeInBits, size);
    CHECK(!SecKeyCreateFromData(wanted, sec1, &error) && fails(&error, errSecParam));
    CFDictionaryRemoveValue(wanted, kSecAttrKeySizeInBits);
    CFDictionarySetValue(wanted, kSecAttrIsPermanent, kCFBooleanTrue);
    CHECK(!SecKeyCreateFromData(wanted, sec1, &error) && fails(&error, errSecUnimplemented));
    CFDictionarySetValue(wanted, kSecAttrIsPermanent, CFSTR("true"));
    CHECK(!SecKeyCreateFromData(wanted, sec1, &error) && fails(&error, errSecParam));
    CFDictionaryRemoveValue(wanted, kSecAttrIsPermanent);
    CFDictionarySetValue(wanted, kSecAttrKeyClass, kSecAttrKeyClassPublic);
    CHECK(!SecKeyCreateFromData(wanted, sec1, &error) && fails(&error, errSecParam));
    SecKeyRef read = SecKeyCreateFromData(wanted, point, &error);
    CHECK(read && CFEqual(read, half));
    drop(read);
    SecKeyRef rsa = made(kSecAttrKeyTypeRSA, 1024);
    CFDataRef pkcs1 = SecKeyCopyExternalRepresentation(rsa, NULL);
    CHECK(!SecKeyCreateFromData(wanted, pkcs1, &error) && fails(&error, errSecParam));
    CFDictionarySetValue(wanted, kSecAttrKeyClass, kSecAttrKeyClassPrivate);
    CHECK(!SecKeyCreateFromData(wanted, pkcs1, &error) && fails(&error, errSecParam));
    CFDictionarySetValue(wanted, kSecAttrKeyType, kSecAttrKeyTypeRSA);
    read = SecKeyCreateFromData(wanted, pkcs1, &error);
    CHECK(read && !error && CFEqual(read, rsa));
    CFTypeRef objects[] = {wanted, sec1, bytes, point, cut, size, read, rsa, pkcs1};
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++) drop(objects[index]);
}

void test_key_arguments(void) {
    CFDataRef message = data("a message");
    SecKeyRef key = made(kSecAttrKeyTypeEC, 256), half = SecKeyCopyPublicKey(key);
    test_no_key(NULL, message);
    test_no_key((SecKeyRef)message, message);
    test_no_arguments(key, half, message);
    test_constructors(message);
    test_older_constructor(key, half);
    // Copied attributes and bytes outlive their key.
    CFDictionaryRef attributes = SecKeyCopyAttributes(key);
    CFDataRef bytes = SecKeyCopyExternalRepresentation(key, NULL);
    drop(key);
    CHECK(attributes && is_number(CFDictionaryGetValue(attributes, kSecAttrKeySizeInBits), 256));
    CHECK(bytes && CFDataGetLength(bytes) == 97 && SecKeyGetBlockSize(half) == 32);
    drop(attributes);
    drop(bytes);
    drop(half);
    CFRelease(message);
}
