/* Entries of access objects. */
#ifndef CHATELAINE_SECACL_H
#define CHATELAINE_SECACL_H

#include <CoreFoundation/CFArray.h>
#include <Security/SecBase.h>
#include <Security/cssmapple.h>

CF_EXTERN_C_BEGIN

/* The conditions for a prompt about a program that an entry does not list. */
typedef UInt16 SecKeychainPromptSelector;

enum {
    /* The person has to type the keychain's password. The spelling is Apple's. */
    kSecKeychainPromptRequirePassphase = 0x0001,
    /* With kSecKeychainPromptUnsignedAct: prompts for programs without a signature. */
    kSecKeychainPromptUnsigned = 0x0010,
    /* kSecKeychainPromptUnsigned decides; without this flag there is always a prompt. */
    kSecKeychainPromptUnsignedAct = 0x0020,
    /* With kSecKeychainPromptInvalidAct: prompts for programs whose signature is not valid. */
    kSecKeychainPromptInvalid = 0x0040,
    /* kSecKeychainPromptInvalid decides; without this flag there is always a prompt. */
    kSecKeychainPromptInvalidAct = 0x0080
};

CF_EXPORT CFTypeID SecACLGetTypeID(void);

/*
 * Adds an entry to an access object. The entry gives every right until SecACLUpdateAuthorizations changes its rights.
 * The list has SecTrustedApplicationRefs; NULL allows every program.
 */
CF_EXPORT OSStatus SecACLCreateWithSimpleContents(
    SecAccessRef access, CFArrayRef applicationList, CFStringRef description, SecKeychainPromptSelector promptSelector,
    SecACLRef *newAcl);
CF_EXPORT OSStatus SecACLCreateFromSimpleContents(
    SecAccessRef access, CFArrayRef applicationList, CFStringRef description,
    const CSSM_ACL_KEYCHAIN_PROMPT_SELECTOR *promptSelector, SecACLRef *newAcl);

/* Removes an entry from its access object. errSecInvalidOwnerEdit for the owner's entry. */
CF_EXPORT OSStatus SecACLRemove(SecACLRef aclRef);

/*
 * Copies the contents of an entry; the list is NULL where the entry allows every program. errSecACLNotSimple where the
 * contents have another form.
 */
CF_EXPORT OSStatus SecACLCopyContents(
    SecACLRef acl, CFArrayRef *applicationList, CFStringRef *description, SecKeychainPromptSelector *promptSelector);
CF_EXPORT OSStatus SecACLCopySimpleContents(
    SecACLRef acl, CFArrayRef *applicationList, CFStringRef *description,
    CSSM_ACL_KEYCHAIN_PROMPT_SELECTOR *promptSelector);

/* Replaces the contents of an entry. */
CF_EXPORT OSStatus SecACLSetContents(
    SecACLRef acl, CFArrayRef applicationList, CFStringRef description, SecKeychainPromptSelector promptSelector);
CF_EXPORT OSStatus SecACLSetSimpleContents(
    SecACLRef acl, CFArrayRef applicationList, CFStringRef description,
    const CSSM_ACL_KEYCHAIN_PROMPT_SELECTOR *promptSelector);

/* Copies the rights of an entry, as kSecACLAuthorization constants; NULL where the argument is no entry. */
CF_EXPORT CFArrayRef SecACLCopyAuthorizations(SecACLRef acl);

/* Replaces the rights of an entry. Any string that is no such constant is the right 0, which allows nothing. */
CF_EXPORT OSStatus SecACLUpdateAuthorizations(SecACLRef acl, CFArrayRef authorizations);

/*
 * Copies or sets the rights as numbers. tagCount has the number of tags that fit, and receives the number of rights;
 * errSecParam where they do not fit.
 */
CF_EXPORT OSStatus SecACLGetAuthorizations(SecACLRef acl, CSSM_ACL_AUTHORIZATION_TAG *tags, uint32 *tagCount);
CF_EXPORT OSStatus SecACLSetAuthorizations(SecACLRef acl, CSSM_ACL_AUTHORIZATION_TAG *tags, uint32 tagCount);

CF_EXTERN_C_END

#endif
