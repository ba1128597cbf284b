/* Cryptographic keys, in the memory of the process. */
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

CF_EXTERN_C_END

#endif
