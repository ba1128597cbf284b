/* Entries of access objects. */
#ifndef CHATELAINE_SECACL_H
#define CHATELAINE_SECACL_H

#include <CoreFoundation/CFArray.h>
#include <Security/SecBase.h>
#include <Security/cssmapple.h>

CF_EXTERN_C_BEGIN

/* When a person is asked about a program that an entry does not list. */
typedef UInt16 SecKeychainPromptSelector;

enum {
    /* The keychain's password has to be given. The name is Apple's. */
    kSecKeychainPromptRequirePassphase = 0x0001,
    /* With the next: a person is asked about programs without a signature. */
    kSecKeychainPromptUnsigned = 0x0010,
    /* The former decides; without it a person is asked. */
    kSecKeychainPromptUnsignedAct = 0x0020,
    /* With the next: a person is asked about programs whose signature does not count. */
    kSecKeychainPromptInvalid = 0x0040,
    /* The former decides; without it a person is asked. */
    kSecKeychainPromptInvalidAct = 0x0080
};

CF_EXPORT CFTypeID SecACLGetTypeID(void);

/*
 * Adds an entry to an access object, which gives every right until SecACLUpdateAuthorizations says otherwise. The list has
 * SecTrustedApplicationRefs; NULL lets everybody in.
 */
CF_EXPORT OSStatus SecACLCreateWithSimpleContents(
    SecAccessRef access, CFArrayRef applicationList, CFStringRef description, SecKeychainPromptSelector promptSelector,
    SecACLRef *newAcl);
CF_EXPORT OSStatus SecACLCreateFromSimpleContents(
    SecAccessRef access, CFArrayRef applicationList, CFStringRef description,
    const CSSM_ACL_KEYCHAIN_PROMPT_SELECTOR *promptSelector, SecACLRef *newAcl);

/* Takes an entry out of its access object. errSecInvalidOwnerEdit for the owner's. */
CF_EXPORT OSStatus SecACLRemove(SecACLRef aclRef);

/* Copies what an entry says; the list is NULL where everybody is let in. errSecACLNotSimple where it says something else. */
CF_EXPORT OSStatus SecACLCopyContents(
    SecACLRef acl, CFArrayRef *applicationList, CFStringRef *description, SecKeychainPromptSelector *promptSelector);
CF_EXPORT OSStatus SecACLCopySimpleContents(
    SecACLRef acl, CFArrayRef *applicationList, CFStringRef *description,
    CSSM_ACL_KEYCHAIN_PROMPT_SELECTOR *promptSelector);

/* Has an entry say something else. */
CF_EXPORT OSStatus SecACLSetContents(
    SecACLRef acl, CFArrayRef applicationList, CFStringRef description, SecKeychainPromptSelector promptSelector);
CF_EXPORT OSStatus SecACLSetSimpleContents(
    SecACLRef acl, CFArrayRef applicationList, CFStringRef description,
    const CSSM_ACL_KEYCHAIN_PROMPT_SELECTOR *promptSelector);

/* Copies the rights of an entry, as kSecACLAuthorization constants; NULL where it is no entry. */
CF_EXPORT CFArrayRef SecACLCopyAuthorizations(SecACLRef acl);

/* Puts other rights in their place. A string that is no such constant is the right 0, which gives nothing. */
CF_EXPORT OSStatus SecACLUpdateAuthorizations(SecACLRef acl, CFArrayRef authorizations);

/* The same as numbers. tagCount says how many there is room for, then how many there are; errSecParam for too little. */
CF_EXPORT OSStatus SecACLGetAuthorizations(SecACLRef acl, CSSM_ACL_AUTHORIZATION_TAG *tags, uint32 *tagCount);
CF_EXPORT OSStatus SecACLSetAuthorizations(SecACLRef acl, CSSM_ACL_AUTHORIZATION_TAG *tags, uint32 tagCount);

CF_EXTERN_C_END

#endif
