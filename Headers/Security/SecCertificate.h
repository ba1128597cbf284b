/* A certificate. */
#ifndef CHATELAINE_SECCERTIFICATE_H
#define CHATELAINE_SECCERTIFICATE_H

#include <CoreFoundation/CFArray.h>
#include <CoreFoundation/CFData.h>
#include <CoreFoundation/CFDate.h>
#include <CoreFoundation/CFDictionary.h>
#include <CoreFoundation/CFError.h>
#include <CoreFoundation/CFString.h>
#include <Security/SecBase.h>
#include <Security/SecCertificateOIDs.h>

CF_EXTERN_C_BEGIN

/* The type of a certificate, as CFGetTypeID tells it. */
CF_EXPORT CFTypeID SecCertificateGetTypeID(void);

/*
 * A certificate of its DER, NULL for what is none: it is read in a process of ours that is shut in. The allocator is not used. Two are equal
 * when their bytes are.
 */
CF_EXPORT SecCertificateRef SecCertificateCreateWithData(CFAllocatorRef allocator, CFDataRef data);
CF_EXPORT CFDataRef SecCertificateCopyData(SecCertificateRef certificate);

/* Stores a certificate in a file keychain, NULL for the default one; errSecDuplicateItem where it is there. */
CF_EXPORT OSStatus SecCertificateAddToKeychain(SecCertificateRef certificate, SecKeychainRef keychain);

/* One line that says whom it is for; NULL where nothing does. */
CF_EXPORT CFStringRef SecCertificateCopySubjectSummary(SecCertificateRef certificate);
/* errSecNoSuchAttr without one. */
CF_EXPORT OSStatus SecCertificateCopyCommonName(SecCertificateRef certificate, CFStringRef *commonName);
CF_EXPORT OSStatus SecCertificateCopyEmailAddresses(SecCertificateRef certificate, CFArrayRef *emailAddresses);

/* Its public key: RSA, P-256, P-384, P-521, Ed25519 or X25519. */
CF_EXPORT SecKeyRef SecCertificateCopyKey(SecCertificateRef certificate);
CF_EXPORT OSStatus SecCertificateCopyPublicKey(SecCertificateRef certificate, SecKeyRef *key);

/* The error, where there is a place for it, is the caller's, here and below. */
CF_EXPORT CFDataRef SecCertificateCopySerialNumberData(SecCertificateRef certificate, CFErrorRef *error);
CF_EXPORT CFDataRef SecCertificateCopySerialNumber(SecCertificateRef certificate, CFErrorRef *error);

/* Names in the form in which they are compared: as DER, and without the header of the outer sequence. */
CF_EXPORT CFDataRef SecCertificateCopyNormalizedIssuerSequence(SecCertificateRef certificate);
CF_EXPORT CFDataRef SecCertificateCopyNormalizedSubjectSequence(SecCertificateRef certificate);
CF_EXPORT CFDataRef SecCertificateCopyNormalizedIssuerContent(SecCertificateRef certificate, CFErrorRef *error);
CF_EXPORT CFDataRef SecCertificateCopyNormalizedSubjectContent(SecCertificateRef certificate, CFErrorRef *error);

CF_EXPORT CFDateRef SecCertificateCopyNotValidBeforeDate(SecCertificateRef certificate);
CF_EXPORT CFDateRef SecCertificateCopyNotValidAfterDate(SecCertificateRef certificate);

/* For people. */
CF_EXPORT CFStringRef SecCertificateCopyLongDescription(
    CFAllocatorRef alloc, SecCertificateRef certificate, CFErrorRef *error);
CF_EXPORT CFStringRef SecCertificateCopyShortDescription(
    CFAllocatorRef alloc, SecCertificateRef certificate, CFErrorRef *error);

/* Fields and extensions by their object identifiers, kSecOID..., those of `keys` or all: dictionaries with the keys below. */
CF_EXPORT CFDictionaryRef SecCertificateCopyValues(SecCertificateRef certificate, CFArrayRef keys, CFErrorRef *error);

CF_EXPORT const CFStringRef kSecPropertyKeyLabel; /* "label" */
CF_EXPORT const CFStringRef kSecPropertyKeyLocalizedLabel; /* "localized label" */
CF_EXPORT const CFStringRef kSecPropertyKeyType; /* "type" */
CF_EXPORT const CFStringRef kSecPropertyKeyValue; /* "value" */

CF_EXPORT const CFStringRef kSecPropertyTypeArray; /* "array": of values that are no dictionaries */
CF_EXPORT const CFStringRef kSecPropertyTypeData; /* "data" */
CF_EXPORT const CFStringRef kSecPropertyTypeDate; /* "date" */
CF_EXPORT const CFStringRef kSecPropertyTypeNumber; /* "number" */
CF_EXPORT const CFStringRef kSecPropertyTypeSection; /* "section": an array of such dictionaries */
CF_EXPORT const CFStringRef kSecPropertyTypeString; /* "string" */
CF_EXPORT const CFStringRef kSecPropertyTypeSuccess; /* "success" */
CF_EXPORT const CFStringRef kSecPropertyTypeURL; /* "url" */
CF_EXPORT const CFStringRef kSecPropertyTypeWarning; /* "warning" */

/* The certificate of a keychain that is preferred for a name, as SecIdentitySetPreferred has it for identities. */
CF_EXPORT OSStatus SecCertificateSetPreferred(SecCertificateRef certificate, CFStringRef name, CFArrayRef keyUsage);
CF_EXPORT SecCertificateRef SecCertificateCopyPreferred(CFStringRef name, CFArrayRef keyUsage);

CF_EXTERN_C_END

/* What its key is for; the number under kSecOIDKeyUsage. */
typedef uint32_t SecKeyUsage;
enum {
    kSecKeyUsageDigitalSignature = 1,
    kSecKeyUsageNonRepudiation = 2,
    kSecKeyUsageContentCommitment = 2,
    kSecKeyUsageKeyEncipherment = 4,
    kSecKeyUsageDataEncipherment = 8,
    kSecKeyUsageKeyAgreement = 16,
    kSecKeyUsageKeyCertSign = 32,
    kSecKeyUsageCRLSign = 64,
    kSecKeyUsageEncipherOnly = 128,
    kSecKeyUsageDecipherOnly = 256,
    kSecKeyUsageAll = 0x7FFFFFFF
};
__extension__ enum { kSecKeyUsageCritical = 1U << 31 };

/* Tags of its attributes. Beside each its characters. */
enum {
    kSecCertTypeItemAttr = 0x63747970, /* 'ctyp' */
    kSecCertEncodingItemAttr = 0x63656E63, /* 'cenc' */
    kSecSubjectItemAttr = 0x7375626A, /* 'subj' */
    kSecIssuerItemAttr = 0x69737375, /* 'issu' */
    kSecSerialNumberItemAttr = 0x736E6272, /* 'snbr' */
    kSecSubjectKeyIdentifierItemAttr = 0x736B6964, /* 'skid' */
    kSecPublicKeyHashItemAttr = 0x68706B79 /* 'hpky' */
};

#endif
