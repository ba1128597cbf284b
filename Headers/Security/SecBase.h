/* Types and status codes that all of Security shares. */
#ifndef CHATELAINE_SECBASE_H
#define CHATELAINE_SECBASE_H

#include <CoreFoundation/CoreFoundation.h>
#include <Security/SecStatusCodes.h>

CF_EXTERN_C_BEGIN

/* What protects an item. Two are equal when they describe the same protection. */
typedef struct __SecAccessControl *SecAccessControlRef;
typedef struct __SecKey *SecKeyRef;
typedef struct __SecCertificate *SecCertificateRef;
/* A certificate together with its private key. */
typedef struct __SecIdentity *SecIdentityRef;
/* What a certificate has to be good for (SecPolicy.h). */
typedef struct __SecPolicy *SecPolicyRef;

/* A file keychain, and bits that tell how it stands with it (SecKeychain.h). */
typedef struct __SecKeychain *SecKeychainRef;
typedef UInt32 SecKeychainStatus;

/* Who may do what with an item of a file keychain; an entry of it; and a program that an entry lets in without asking. */
typedef struct __SecAccess *SecAccessRef;
typedef struct __SecACL *SecACLRef;
typedef struct __SecTrustedApplication *SecTrustedApplicationRef;

/* A search for items of file keychains (SecKeychainSearch.h). */
typedef struct __SecKeychainSearch *SecKeychainSearchRef;

/* Four characters that name an attribute of an item; those of SecItemAttr among them. */
typedef OSType SecKeychainAttrType;

/* An attribute, and bytes that are its value. */
typedef struct SecKeychainAttribute {
    SecKeychainAttrType tag;
    UInt32 length;
    void *data;
} SecKeychainAttribute;
typedef SecKeychainAttribute *SecKeychainAttributePtr;

/* Attributes of an item. */
typedef struct SecKeychainAttributeList {
    UInt32 count;
    SecKeychainAttribute *attr;
} SecKeychainAttributeList;

/* Which attributes are meant, and in which form each one is. */
typedef struct SecKeychainAttributeInfo {
    UInt32 count;
    UInt32 *tag;
    UInt32 *format;
} SecKeychainAttributeInfo;

/*
 * A reference to a password in the keychain, which goes under kSecValueRef, or into the arrays of kSecMatchItemList and
 * kSecUseItemList. Two are equal when they name the same item, whether that is still there or not.
 */
typedef struct __SecKeychainItem *SecKeychainItemRef;

/*
 * Copies one English sentence about a status: what happened and, where something can be done, what to do.
 *
 * A code that nothing defines becomes "OSStatus N". The sentences may change between versions: compare codes, not
 * texts. `reserved` is NULL.
 */
CF_EXPORT CFStringRef SecCopyErrorMessageString(OSStatus status, void *reserved);

CF_EXTERN_C_END

#endif
