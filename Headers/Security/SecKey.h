/* Cryptographic keys: in the memory of the process, or in a keychain, where private ones are used. */
#ifndef CHATELAINE_SECKEY_H
#define CHATELAINE_SECKEY_H

#include <CoreFoundation/CFData.h>
#include <CoreFoundation/CFDictionary.h>
#include <CoreFoundation/CFError.h>
#include <Security/SecBase.h>
#include <Security/SecKeyConstants.h>

CF_EXTERN_C_BEGIN

/* What a private or a public key is to be, beside what both are: dictionaries. Beside each its value. */
/* "private" */
CF_EXPORT const CFStringRef kSecPrivateKeyAttrs;
/* "public" */
CF_EXPORT const CFStringRef kSecPublicKeyAttrs;

/* How the older calls fill a block. */
typedef uint32_t SecPadding;
enum {
    /* A whole block of RSA; a signature in DER of elliptic curves. */
    kSecPaddingNone = 0,
    kSecPaddingPKCS1 = 1,
    /* With SHA-1. */
    kSecPaddingOAEP = 2,
    /* Two numbers side by side, of elliptic curves. */
    kSecPaddingSigRaw = 0x4000,
    /* Both are refused. */
    kSecPaddingPKCS1MD2 = 0x8000,
    kSecPaddingPKCS1MD5 = 0x8001,
    kSecPaddingPKCS1SHA1 = 0x8002,
    kSecPaddingPKCS1SHA224 = 0x8003,
    kSecPaddingPKCS1SHA256 = 0x8004,
    kSecPaddingPKCS1SHA384 = 0x8005,
    kSecPaddingPKCS1SHA512 = 0x8006
};

/* Sizes of keys, in bits. */
typedef uint32_t SecKeySizes;
enum {
    kSecDefaultKeySize = 0,
    kSec3DES192 = 192,
    kSecAES128 = 128,
    kSecAES192 = 192,
    kSecAES256 = 256,
    kSecp192r1 = 192,
    kSecp256r1 = 256,
    kSecp384r1 = 384,
    kSecp521r1 = 521,
    kSecRSAMin = 1024,
    kSecRSAMax = 4096
};

/*
 * Attributes of keys of file keychains, for the calls of SecKeychainItem and SecKeychainSearch: the class, type and sizes as SecItem's numbers, truths
 * as numbers, dates as of other items, the rest as bytes.
 */
enum {
    kSecKeyKeyClass = 0,
    kSecKeyPrintName = 1,
    kSecKeyAlias = 2,
    kSecKeyPermanent = 3,
    kSecKeyPrivate = 4,
    kSecKeyModifiable = 5,
    kSecKeyLabel = 6,
    kSecKeyApplicationTag = 7,
    kSecKeyKeyCreator = 8,
    kSecKeyKeyType = 9,
    kSecKeyKeySizeInBits = 10,
    kSecKeyEffectiveKeySize = 11,
    kSecKeyStartDate = 12,
    kSecKeyEndDate = 13,
    kSecKeySensitive = 14,
    kSecKeyAlwaysSensitive = 15,
    kSecKeyExtractable = 16,
    kSecKeyNeverExtractable = 17,
    kSecKeyEncrypt = 18,
    kSecKeyDecrypt = 19,
    kSecKeyDerive = 20,
    kSecKeySign = 21,
    kSecKeyVerify = 22,
    kSecKeySignRecover = 23,
    kSecKeyVerifyRecover = 24,
    kSecKeyWrap = 25,
    kSecKeyUnwrap = 26
};

/* What is done with a key. */
typedef CFIndex SecKeyOperationType;
enum {
    kSecKeyOperationTypeSign = 0,
    kSecKeyOperationTypeVerify = 1,
    kSecKeyOperationTypeEncrypt = 2,
    kSecKeyOperationTypeDecrypt = 3,
    kSecKeyOperationTypeKeyExchange = 4
};

CF_EXPORT CFTypeID SecKeyGetTypeID(void);

/*
 * Makes a private key: kSecAttrKeyType and kSecAttrKeySizeInBits say which. NULL where that fails; the error, where there is a place for
 * it, is the caller's, here and below.
 */
CF_EXPORT SecKeyRef SecKeyCreateRandomKey(CFDictionaryRef parameters, CFErrorRef *error);

/* Makes a pair; each place may be NULL. */
CF_EXPORT OSStatus SecKeyGeneratePair(CFDictionaryRef parameters, SecKeyRef *publicKey, SecKeyRef *privateKey);

/* Reads PKCS#1 of RSA, and X9.63 of elliptic curves: kSecAttrKeyType and kSecAttrKeyClass say which. */
CF_EXPORT SecKeyRef SecKeyCreateWithData(CFDataRef keyData, CFDictionaryRef attributes, CFErrorRef *error);

/* Writes the same. */
CF_EXPORT CFDataRef SecKeyCopyExternalRepresentation(SecKeyRef key, CFErrorRef *error);

CF_EXPORT SecKeyRef SecKeyCopyPublicKey(SecKeyRef key);
CF_EXPORT CFDictionaryRef SecKeyCopyAttributes(SecKeyRef key);

/* Bytes of a block of RSA, or of a number of the curve; 0 for what is no key. */
CF_EXPORT size_t SecKeyGetBlockSize(SecKeyRef key);

CF_EXPORT Boolean SecKeyIsAlgorithmSupported(SecKeyRef key, SecKeyOperationType operation, SecKeyAlgorithm algorithm);

CF_EXPORT CFDataRef SecKeyCreateSignature(
    SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef dataToSign, CFErrorRef *error);
CF_EXPORT Boolean SecKeyVerifySignature(
    SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef signedData, CFDataRef signature, CFErrorRef *error);
CF_EXPORT CFDataRef SecKeyCreateEncryptedData(
    SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef plaintext, CFErrorRef *error);
CF_EXPORT CFDataRef SecKeyCreateDecryptedData(
    SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef ciphertext, CFErrorRef *error);

/* kSecKeyKeyExchangeParameterRequestedSize and kSecKeyKeyExchangeParameterSharedInfo are for algorithms that derive bytes. */
CF_EXPORT CFDataRef SecKeyCopyKeyExchangeResult(
    SecKeyRef privateKey, SecKeyAlgorithm algorithm, SecKeyRef publicKey, CFDictionaryRef parameters, CFErrorRef *error);

/*
 * Symmetric keys. kSecAttrKeyType is kSecAttrKeyTypeAES, kSecAttrKeySizeInBits 128, 192 or 256; kSecAttrIsPermanent makes the key an item.
 * What is derived takes kSecAttrSalt and kSecAttrRounds, and kSecAttrPRF where that is another than SHA-256. Wrapping is that of RFC 3394.
 */
CF_EXPORT SecKeyRef SecKeyGenerateSymmetric(CFDictionaryRef parameters, CFErrorRef *error);
/* Bytes of AES; or another key, as SecKeyCreateWithData reads it, a private one of a curve also in DER of SEC 1. */
CF_EXPORT SecKeyRef SecKeyCreateFromData(CFDictionaryRef parameters, CFDataRef keyData, CFErrorRef *error);
CF_EXPORT SecKeyRef SecKeyDeriveFromPassword(CFStringRef password, CFDictionaryRef parameters, CFErrorRef *error);
CF_EXPORT CFDataRef SecKeyWrapSymmetric(
    SecKeyRef keyToWrap, SecKeyRef wrappingKey, CFDictionaryRef parameters, CFErrorRef *error);
CF_EXPORT SecKeyRef SecKeyUnwrapSymmetric(
    CFDataRef *keyToUnwrap, SecKeyRef unwrappingKey, CFDictionaryRef parameters, CFErrorRef *error);

/*
 * The older calls. A result goes into memory of the caller's, whose length is where the caller reads how much was filled: errSecParam
 * where that is too little.
 */
CF_EXPORT OSStatus SecKeyRawSign(
    SecKeyRef key, SecPadding padding, const uint8_t *dataToSign, size_t dataToSignLen, uint8_t *sig, size_t *sigLen);
CF_EXPORT OSStatus SecKeyRawVerify(
    SecKeyRef key, SecPadding padding, const uint8_t *signedData, size_t signedDataLen, const uint8_t *sig, size_t sigLen);
CF_EXPORT OSStatus SecKeyEncrypt(
    SecKeyRef key, SecPadding padding, const uint8_t *plainText, size_t plainTextLen, uint8_t *cipherText,
    size_t *cipherTextLen);
CF_EXPORT OSStatus SecKeyDecrypt(
    SecKeyRef key, SecPadding padding, const uint8_t *cipherText, size_t cipherTextLen, uint8_t *plainText,
    size_t *plainTextLen);

CF_EXTERN_C_END

#endif
