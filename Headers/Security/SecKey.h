/* Cryptographic keys: in the memory of the process, or in a keychain, which uses private keys for the program. */
#ifndef CHATELAINE_SECKEY_H
#define CHATELAINE_SECKEY_H

#include <CoreFoundation/CFData.h>
#include <CoreFoundation/CFDictionary.h>
#include <CoreFoundation/CFError.h>
#include <Security/SecBase.h>
#include <Security/SecKeyConstants.h>

CF_EXTERN_C_BEGIN

/* Keys of dictionaries with attributes of only the private or the public key of a pair. Each comment has the value. */
/* "private" */
CF_EXPORT const CFStringRef kSecPrivateKeyAttrs;
/* "public" */
CF_EXPORT const CFStringRef kSecPublicKeyAttrs;

/* The padding that the older calls use. */
typedef uint32_t SecPadding;
enum {
    /* For RSA, the data fills a whole block; for elliptic curves, the signature is in DER. */
    kSecPaddingNone = 0,
    kSecPaddingPKCS1 = 1,
    /* With SHA-1. */
    kSecPaddingOAEP = 2,
    /* Elliptic curves only: the two numbers of the signature, one after the other. */
    kSecPaddingSigRaw = 0x4000,
    /* The calls refuse MD2 and MD5. */
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
 * Attributes of keys in file keychains, for the calls of SecKeychainItem and SecKeychainSearch.
 *
 * Class, type and sizes are the numbers of SecItem. Booleans are numbers, dates have the format of other items, and all
 * other attributes are bytes.
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

/* An operation with a key. */
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
 * Makes a private key of the type in kSecAttrKeyType and the size in kSecAttrKeySizeInBits. Returns NULL on failure.
 * Here and below, the caller releases the error, and may pass NULL for it.
 */
CF_EXPORT SecKeyRef SecKeyCreateRandomKey(CFDictionaryRef parameters, CFErrorRef *error);

/* Makes a key pair; either pointer may be NULL. */
CF_EXPORT OSStatus SecKeyGeneratePair(CFDictionaryRef parameters, SecKeyRef *publicKey, SecKeyRef *privateKey);

/*
 * Makes a key from PKCS#1 (RSA) or X9.63 (elliptic curves). kSecAttrKeyType and kSecAttrKeyClass say which key it is.
 */
CF_EXPORT SecKeyRef SecKeyCreateWithData(CFDataRef keyData, CFDictionaryRef attributes, CFErrorRef *error);

/* Copies the key in the same format. */
CF_EXPORT CFDataRef SecKeyCopyExternalRepresentation(SecKeyRef key, CFErrorRef *error);

CF_EXPORT SecKeyRef SecKeyCopyPublicKey(SecKeyRef key);
CF_EXPORT CFDictionaryRef SecKeyCopyAttributes(SecKeyRef key);

/* The number of bytes in a block of RSA, or in a number of the curve; 0 where the argument is no key. */
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

/*
 * Only algorithms that derive bytes use kSecKeyKeyExchangeParameterRequestedSize and
 * kSecKeyKeyExchangeParameterSharedInfo.
 */
CF_EXPORT CFDataRef SecKeyCopyKeyExchangeResult(
    SecKeyRef privateKey, SecKeyAlgorithm algorithm, SecKeyRef publicKey, CFDictionaryRef parameters, CFErrorRef *error);

/*
 * Symmetric keys. kSecAttrKeyType is kSecAttrKeyTypeAES, kSecAttrKeySizeInBits is 128, 192 or 256. kSecAttrIsPermanent
 * stores the key as an item, and with kSecAttrIsExtractable false the item never gives its bytes to anybody: calls use
 * the key in the daemons, and wrapping it by another key is errSecUnimplemented. Deriving a key needs kSecAttrSalt and
 * kSecAttrRounds, and kSecAttrPRF for any other hash than SHA-256. Keys are wrapped as in RFC 3394.
 */
CF_EXPORT SecKeyRef SecKeyGenerateSymmetric(CFDictionaryRef parameters, CFErrorRef *error);
/*
 * Makes a key from the bytes of an AES key, or from any format that SecKeyCreateWithData reads. It also reads a private
 * key of an elliptic curve in the DER of SEC 1.
 */
CF_EXPORT SecKeyRef SecKeyCreateFromData(CFDictionaryRef parameters, CFDataRef keyData, CFErrorRef *error);
CF_EXPORT SecKeyRef SecKeyDeriveFromPassword(CFStringRef password, CFDictionaryRef parameters, CFErrorRef *error);
CF_EXPORT CFDataRef SecKeyWrapSymmetric(
    SecKeyRef keyToWrap, SecKeyRef wrappingKey, CFDictionaryRef parameters, CFErrorRef *error);
CF_EXPORT SecKeyRef SecKeyUnwrapSymmetric(
    CFDataRef *keyToUnwrap, SecKeyRef unwrappingKey, CFDictionaryRef parameters, CFErrorRef *error);

/*
 * The older calls write the result to the caller's buffer. The length has the size of the buffer, and receives the
 * number of bytes written; errSecParam where the buffer is too small.
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
