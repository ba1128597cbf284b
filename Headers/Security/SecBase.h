/* Types and status codes that all Security headers share. */
#ifndef CHATELAINE_SECBASE_H
#define CHATELAINE_SECBASE_H

#include <CoreFoundation/CoreFoundation.h>
#include <Security/SecStatusCodes.h>

CF_EXTERN_C_BEGIN

/* The protection of an item. Two access controls are equal when they describe the same protection. */
typedef struct __SecAccessControl *SecAccessControlRef;
typedef struct __SecKey *SecKeyRef;
typedef struct __SecCertificate *SecCertificateRef;
/* A certificate together with its private key. */
typedef struct __SecIdentity *SecIdentityRef;
/* The requirements that a certificate has to meet (SecPolicy.h). */
typedef struct __SecPolicy *SecPolicyRef;

/* A file keychain, and bits that describe its state (SecKeychain.h). */
typedef struct __SecKeychain *SecKeychainRef;
typedef UInt32 SecKeychainStatus;

/*
 * An access object says who may do what with an item of a file keychain. An ACL is an entry of an access object. A
 * trusted application is a program that an entry allows without a prompt.
 */
typedef struct __SecAccess *SecAccessRef;
typedef struct __SecACL *SecACLRef;
typedef struct __SecTrustedApplication *SecTrustedApplicationRef;

/* A search for items of file keychains (SecKeychainSearch.h). */
typedef struct __SecKeychainSearch *SecKeychainSearchRef;

/* Four characters that name an attribute of an item, such as a SecItemAttr. */
typedef OSType SecKeychainAttrType;

/* An attribute with the bytes of its value. */
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

/* Tags of attributes, and the format of each attribute. */
typedef struct SecKeychainAttributeInfo {
    UInt32 count;
    UInt32 *tag;
    UInt32 *format;
} SecKeychainAttributeInfo;

/*
 * A reference to a password in the keychain. Queries take it under kSecValueRef, or in the arrays of kSecMatchItemList
 * and kSecUseItemList. Two references are equal when they name the same item, even if the item no longer exists.
 */
typedef struct __SecKeychainItem *SecKeychainItemRef;

/*
 * Copies one English sentence that says what a status means and, where the caller can do something, what to do.
 *
 * An undefined code becomes "OSStatus N". The sentences may change between versions: compare codes, not texts.
 * `reserved` is NULL.
 */
CF_EXPORT CFStringRef SecCopyErrorMessageString(OSStatus status, void *reserved);

CF_EXTERN_C_END

#endif
