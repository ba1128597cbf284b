// Tests of keys in memory: made, read, written and used from C.
#include <string.h>

#include "check.h"

/// A new private key.
static SecKeyRef made(CFStringRef type, SInt64 bits) {
    CFNumberRef size = number(bits);
    CFMutableDictionaryRef parameters = dictionary(kSecAttrKeyType, type, kSecAttrKeySizeInBits, size, NULL);
    SecKeyRef key = SecKeyCreateRandomKey(parameters, NULL);
    CFRelease(parameters);
    CFRelease(size);
    return key;
}

static bool is_error(CFErrorRef error, OSStatus status) {
    bool holds = error && CFErrorGetCode(error) == status && CFEqual(CFErrorGetDomain(error), kCFErrorDomainOSStatus);
    if (error) CFRelease(error);
    return holds;
}

static void test_representation(SecKeyRef key) {
    CFErrorRef error = NULL;
    CFDataRef bytes = SecKeyCopyExternalRepresentation(key, &error);
    CHECK(bytes && !error && CFDataGetLength(bytes) == 97);
    CFMutableDictionaryRef attributes =
        dictionary(kSecAttrKeyType, kSecAttrKeyTypeEC, kSecAttrKeyClass, kSecAttrKeyClassPrivate, NULL);
    SecKeyRef again = SecKeyCreateWithData(bytes, attributes, &error);
    CHECK(again && !error && CFEqual(again, key) && CFHash(again) == CFHash(key));
    CFRelease(again);
    CFDictionarySetValue(attributes, kSecAttrKeyClass, kSecAttrKeyClassPublic);
    CHECK(!SecKeyCreateWithData(bytes, attributes, &error) && is_error(error, errSecParam));
    CHECK(!SecKeyCreateWithData(NULL, attributes, NULL));
    CFRelease(attributes);
    CFRelease(bytes);
    CFDictionaryRef found = SecKeyCopyAttributes(key);
    CHECK(found && is_text(CFDictionaryGetValue(found, kSecAttrKeyClass), "1"));
    CHECK(is_number(CFDictionaryGetValue(found, kSecAttrKeySizeInBits), 256));
    CFRelease(found);
}

static void test_signatures(SecKeyRef key, SecKeyRef public_key) {
    SecKeyAlgorithm algorithm = kSecKeyAlgorithmECDSASignatureMessageX962SHA256;
    CHECK(SecKeyIsAlgorithmSupported(key, kSecKeyOperationTypeSign, algorithm));
    CHECK(!SecKeyIsAlgorithmSupported(public_key, kSecKeyOperationTypeSign, algorithm));
    CHECK(!SecKeyIsAlgorithmSupported(key, 77, algorithm) && !SecKeyIsAlgorithmSupported(key, 0, NULL));
    CFDataRef message = data("message"), other = data("another");
    CFErrorRef error = NULL;
    CFDataRef signature = SecKeyCreateSignature(key, algorithm, message, &error);
    CHECK(signature && !error && SecKeyVerifySignature(public_key, algorithm, message, signature, &error) && !error);
    CHECK(!SecKeyVerifySignature(public_key, algorithm, other, signature, &error));
    CHECK(is_error(error, errSecVerifyFailed));
    CHECK(!SecKeyCreateSignature(public_key, algorithm, message, &error) && is_error(error, errSecParam));
    CHECK(!SecKeyCreateSignature(key, algorithm, (CFDataRef)CFSTR("message"), &error) && is_error(error, errSecParam));
    CHECK(!SecKeyCreateSignature((SecKeyRef)message, algorithm, message, &error) && is_error(error, errSecParam));
    CFRelease(signature);
    CFRelease(message);
    CFRelease(other);
}

static void test_secrets(SecKeyRef key, SecKeyRef public_key) {
    SecKeyAlgorithm algorithm = kSecKeyAlgorithmECIESEncryptionStandardX963SHA256AESGCM;
    CFDataRef message = data("message");
    CFErrorRef error = NULL;
    CFDataRef sealed = SecKeyCreateEncryptedData(public_key, algorithm, message, &error);
    CFDataRef opened = sealed ? SecKeyCreateDecryptedData(key, algorithm, sealed, &error) : NULL;
    CHECK(opened && is_data(opened, "message") && !error);
    CHECK(!SecKeyCreateDecryptedData(key, algorithm, message, &error) && is_error(error, errSecDecode));
    CFRelease(opened);
    CFRelease(sealed);
    CFRelease(message);
    SecKeyRef other = made(kSecAttrKeyTypeEC, 256);
    SecKeyRef other_public = SecKeyCopyPublicKey(other);
    CFNumberRef size = number(24);
    CFMutableDictionaryRef parameters = dictionary(kSecKeyKeyExchangeParameterRequestedSize, size, NULL);
    algorithm = kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA256;
    CFDataRef first = SecKeyCopyKeyExchangeResult(key, algorithm, other_public, parameters, NULL);
    CFDataRef second = SecKeyCopyKeyExchangeResult(other, algorithm, public_key, parameters, NULL);
    CHECK(first && second && CFDataGetLength(first) == 24 && CFEqual(first, second));
    CFRelease(first);
    CFRelease(second);
    CFRelease(parameters);
    CFRelease(size);
    CFRelease(other_public);
    CFRelease(other);
}

void test_keys(void) {
    SecKeyRef key = made(kSecAttrKeyTypeEC, 256);
    CHECK(key && CFGetTypeID(key) == SecKeyGetTypeID() && SecKeyGetBlockSize(key) == 32);
    SecKeyRef public_key = SecKeyCopyPublicKey(key);
    CHECK(public_key && !CFEqual(public_key, key));
    test_representation(key);
    test_signatures(key, public_key);
    test_secrets(key, public_key);
    CFRelease(public_key);
    CFRelease(key);
    CFErrorRef error = NULL;
    CHECK(!SecKeyCreateRandomKey(NULL, &error) && is_error(error, errSecParam));
    CHECK(!made(kSecAttrKeyTypeRSA, 512) && SecKeyGetBlockSize(NULL) == 0 && !SecKeyCopyPublicKey(NULL));
    SecKeyRef pair[2] = {NULL, NULL};
    CFNumberRef size = number(384);
    CFMutableDictionaryRef parameters =
        dictionary(kSecAttrKeyType, kSecAttrKeyTypeEC, kSecAttrKeySizeInBits, size, NULL);
    CHECK_STATUS(SecKeyGeneratePair(parameters, &pair[0], &pair[1]), errSecSuccess);
    SecKeyRef derived = SecKeyCopyPublicKey(pair[1]);
    CHECK(CFEqual(derived, pair[0]));
    CFRelease(derived);
    CFRelease(pair[0]);
    CFRelease(pair[1]);
    CFRelease(parameters);
    CFRelease(size);
}

void test_blocks(void) {
    SecKeyRef key = made(kSecAttrKeyTypeRSA, 2048), public_key = SecKeyCopyPublicKey(key);
    uint8_t digest[32] = {1, 2, 3}, signature[256], opened[256];
    size_t count = sizeof signature, opened_count = sizeof opened;
    CHECK_STATUS(SecKeyRawSign(key, kSecPaddingPKCS1SHA256, digest, 32, signature, &count), errSecSuccess);
    CHECK(count == 256);
    CHECK_STATUS(SecKeyRawVerify(public_key, kSecPaddingPKCS1SHA256, digest, 32, signature, count), errSecSuccess);
    digest[0] ^= 1;
    CHECK_STATUS(SecKeyRawVerify(public_key, kSecPaddingPKCS1SHA256, digest, 32, signature, count), errSecVerifyFailed);
    CHECK_STATUS(SecKeyRawSign(key, kSecPaddingPKCS1MD5, digest, 16, signature, &count), errSecParam);
    CHECK_STATUS(SecKeyRawSign(key, kSecPaddingPKCS1, NULL, 16, signature, &count), errSecParam);
    CHECK_STATUS(SecKeyRawSign(key, kSecPaddingPKCS1, digest, 16, NULL, &count), errSecParam);
    CHECK_STATUS(SecKeyRawSign(key, kSecPaddingPKCS1, digest, 16, signature, NULL), errSecParam);
    CHECK_STATUS(SecKeyEncrypt(public_key, kSecPaddingOAEP, digest, 32, signature, &count), errSecSuccess);
    CHECK_STATUS(SecKeyDecrypt(key, kSecPaddingOAEP, signature, count, opened, &opened_count), errSecSuccess);
    CHECK(opened_count == 32 && memcmp(opened, digest, 32) == 0);
    CFRelease(public_key);
    CFRelease(key);
}

void test_symmetric_keys(void) {
    CFNumberRef size = number(256), rounds = number(1000);
    CFMutableDictionaryRef parameters =
        dictionary(kSecAttrKeyType, kSecAttrKeyTypeAES, kSecAttrKeySizeInBits, size, NULL);
    CFErrorRef error = NULL;
    SecKeyRef outer = SecKeyGenerateSymmetric(parameters, &error);
    CHECK(outer && !error && SecKeyGetBlockSize(outer) == 16 && !SecKeyCopyPublicKey(outer));
    CFDataRef salt = data("salt");
    CFDictionarySetValue(parameters, kSecAttrSalt, salt);
    CFDictionarySetValue(parameters, kSecAttrRounds, rounds);
    SecKeyRef inner = SecKeyDeriveFromPassword(kSecAttrAccount, parameters, &error);
    CHECK(inner && !error && !CFEqual(inner, outer));
    CFDataRef wrapped = SecKeyWrapSymmetric(inner, outer, parameters, &error);
    CHECK(wrapped && !error && CFDataGetLength(wrapped) == 40);
    SecKeyRef again = SecKeyUnwrapSymmetric(&wrapped, outer, parameters, &error);
    CHECK(again && !error && CFEqual(again, inner));
    CHECK(!SecKeyUnwrapSymmetric(&wrapped, inner, parameters, &error) && is_error(error, errSecDecode));
    CFDataRef bytes = SecKeyCopyExternalRepresentation(inner, NULL);
    SecKeyRef read = SecKeyCreateFromData(parameters, bytes, NULL);
    CHECK(read && CFEqual(read, inner) && !SecKeyCreateFromData(parameters, salt, NULL));
    CHECK(!SecKeyGenerateSymmetric(NULL, NULL) && !SecKeyWrapSymmetric(inner, NULL, NULL, NULL));
    CFDictionarySetValue(parameters, kSecAttrIsExtractable, kCFBooleanFalse);
    CHECK(!SecKeyGenerateSymmetric(parameters, &error) && is_error(error, errSecParam));
    // With kSecAttrIsPermanent too it is a key that the daemons use.
    CFDictionarySetValue(parameters, kSecAttrIsPermanent, kCFBooleanTrue);
    error = NULL;
    SecKeyRef kept = SecKeyGenerateSymmetric(parameters, &error);
    CHECK(kept && !error);
    CFDataRef inside = SecKeyWrapSymmetric(inner, kept, parameters, &error);
    CHECK(inside && !error && CFDataGetLength(inside) == 40);
    CFDictionaryRemoveValue(parameters, kSecAttrIsPermanent);
    CFDictionaryRemoveValue(parameters, kSecAttrIsExtractable);
    SecKeyRef outside = SecKeyUnwrapSymmetric(&inside, kept, parameters, &error);
    CHECK(outside && !error && CFEqual(outside, inner));
    CHECK(!SecKeyWrapSymmetric(kept, inner, parameters, &error) && is_error(error, errSecUnimplemented));
    CHECK(!SecKeyCopyExternalRepresentation(kept, &error) && is_error(error, errSecUnimplemented));
    CFMutableDictionaryRef item = dictionary(kSecClass, kSecClassKey, kSecValueRef, kept, NULL);
    CHECK_STATUS(SecItemDelete(item), errSecSuccess);
    CFRelease(item);
    CFRelease(outside);
    CFRelease(inside);
    CFRelease(kept);
    CHECK(!SecKeyUnwrapSymmetric(NULL, outer, NULL, NULL) && !SecKeyDeriveFromPassword(NULL, parameters, NULL));
    CFRelease(read);
    CFRelease(bytes);
    CFRelease(again);
    CFRelease(wrapped);
    CFRelease(inner);
    CFRelease(salt);
    CFRelease(outer);
    CFRelease(parameters);
    CFRelease(rounds);
    CFRelease(size);
}
