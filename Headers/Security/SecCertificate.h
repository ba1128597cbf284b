/* Certificates. */
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

/* The type of a certificate, as CFGetTypeID returns it. */
CF_EXPORT CFTypeID SecCertificateGetTypeID(void);

/*
 * Makes a certificate from its DER; NULL for any other data. A sandboxed process of Chatelaine parses the data. The
 * allocator is ignored. Two certificates are equal when their bytes are equal.
 */
CF_EXPORT SecCertificateRef SecCertificateCreateWithData(CFAllocatorRef allocator, CFDataRef data);
CF_EXPORT CFDataRef SecCertificateCopyData(SecCertificateRef certificate);

/* Stores a certificate in a file keychain, for NULL in the default one; errSecDuplicateItem where it exists there. */
CF_EXPORT OSStatus SecCertificateAddToKeychain(SecCertificateRef certificate, SecKeychainRef keychain);

/* Copies one line that names the subject; NULL where the certificate has no name. */
CF_EXPORT CFStringRef SecCertificateCopySubjectSummary(SecCertificateRef certificate);
/* Copies the common name; errSecNoSuchAttr where there is none. */
CF_EXPORT OSStatus SecCertificateCopyCommonName(SecCertificateRef certificate, CFStringRef *commonName);
CF_EXPORT OSStatus SecCertificateCopyEmailAddresses(SecCertificateRef certificate, CFArrayRef *emailAddresses);

/* Copies the public key: RSA, P-256, P-384, P-521, Ed25519 or X25519. */
CF_EXPORT SecKeyRef SecCertificateCopyKey(SecCertificateRef certificate);
CF_EXPORT OSStatus SecCertificateCopyPublicKey(SecCertificateRef certificate, SecKeyRef *key);

/* Here and below, the caller releases the error, and may pass NULL for it. */
CF_EXPORT CFDataRef SecCertificateCopySerialNumberData(SecCertificateRef certificate, CFErrorRef *error);
CF_EXPORT CFDataRef SecCertificateCopySerialNumber(SecCertificateRef certificate, CFErrorRef *error);

/*
 * Copies a name in the normalized form for comparisons, as DER. The Content calls omit the header of the outer
 * sequence.
 */
CF_EXPORT CFDataRef SecCertificateCopyNormalizedIssuerSequence(SecCertificateRef certificate);
CF_EXPORT CFDataRef SecCertificateCopyNormalizedSubjectSequence(SecCertificateRef certificate);
CF_EXPORT CFDataRef SecCertificateCopyNormalizedIssuerContent(SecCertificateRef certificate, CFErrorRef *error);
CF_EXPORT CFDataRef SecCertificateCopyNormalizedSubjectContent(SecCertificateRef certificate, CFErrorRef *error);

CF_EXPORT CFDateRef SecCertificateCopyNotValidBeforeDate(SecCertificateRef certificate);
CF_EXPORT CFDateRef SecCertificateCopyNotValidAfterDate(SecCertificateRef certificate);

/* Descriptions for people. */
CF_EXPORT CFStringRef SecCertificateCopyLongDescription(
    CFAllocatorRef alloc, SecCertificateRef certificate, CFErrorRef *error);
CF_EXPORT CFStringRef SecCertificateCopyShortDescription(
    CFAllocatorRef alloc, SecCertificateRef certificate, CFErrorRef *error);

/*
 * Copies fields and extensions by their object identifiers, kSecOID...: those in `keys`, or for NULL all. The values
 * are dictionaries with the keys below.
 */
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

/* Sets or copies the preferred certificate for a name, as SecIdentitySetPreferred does for identities. */
CF_EXPORT OSStatus SecCertificateSetPreferred(SecCertificateRef certificate, CFStringRef name, CFArrayRef keyUsage);
CF_EXPORT SecCertificateRef SecCertificateCopyPreferred(CFStringRef name, CFArrayRef keyUsage);

CF_EXTERN_C_END

/* The uses of a certificate's key: the number under kSecOIDKeyUsage. */
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

/* Tags of the attributes of certificates. Each comment has the four characters. */
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
