/* Access objects: who may do what with an item of a file keychain. */
#ifndef CHATELAINE_SECACCESS_H
#define CHATELAINE_SECACCESS_H

#include <CoreFoundation/CFArray.h>
#include <CoreFoundation/CFError.h>
#include <Security/SecAccessConstants.h>
#include <Security/SecBase.h>
#include <Security/cssmtype.h>

#include <sys/types.h>

CF_EXTERN_C_BEGIN

CF_EXPORT CFTypeID SecAccessGetTypeID(void);

/*
 * Makes an access object. The descriptor is what a person is told of the item. The list has SecTrustedApplicationRefs, which are
 * let in without asking; NULL stands for the calling program, an empty one for nobody.
 */
CF_EXPORT OSStatus SecAccessCreate(CFStringRef descriptor, CFArrayRef trustedlist, SecAccessRef *accessRef);

/*
 * Makes an access object of an owner and entries in CSSM's form. A subject that is not understood is kept, and lets nobody in.
 */
CF_EXPORT OSStatus SecAccessCreateFromOwnerAndACL(
    const CSSM_ACL_OWNER_PROTOTYPE *owner, uint32 aclCount, const CSSM_ACL_ENTRY_INFO *acls, SecAccessRef *accessRef);

/* What of a process counts for an access object that belongs to a user or a group; kSecHonorRoot has root count as that user. */
typedef uint32_t SecAccessOwnerType;
enum {
    kSecUseOnlyUID = 1,
    kSecUseOnlyGID = 2,
    kSecHonorRoot = 0x100,
    kSecMatchBits = kSecUseOnlyUID | kSecUseOnlyGID
};

/*
 * Makes an access object of which the processes of a user or a group may do what they are given, whatever they run. The list has
 * kSecACLAuthorization constants, all rights where it is NULL or empty; or SecACLRefs, which are copied, and only changing the
 * object is those processes' then. NULL where that fails; the error, where there is a place for it, is the caller's.
 */
CF_EXPORT SecAccessRef SecAccessCreateWithOwnerAndACL(
    uid_t userId, gid_t groupId, SecAccessOwnerType ownerType, CFArrayRef acls, CFErrorRef *error);

/*
 * Copies whose processes an access object belongs to, and its entries but the owner's, SecACLRefs. Of one that belongs to no
 * processes the type is 0 and the numbers are the largest. Each pointer but the first may be NULL.
 */
CF_EXPORT OSStatus SecAccessCopyOwnerAndACL(
    SecAccessRef accessRef, uid_t *userId, gid_t *groupId, SecAccessOwnerType *ownerType, CFArrayRef *aclList);

/* Copies all entries, SecACLRefs, the owner's among them, in no certain order. */
CF_EXPORT OSStatus SecAccessCopyACLList(SecAccessRef accessRef, CFArrayRef *aclList);

/* Copies the entries that give a right, or all; NULL where there is none. */
CF_EXPORT CFArrayRef SecAccessCopyMatchingACLList(SecAccessRef accessRef, CFTypeRef authorizationTag);

CF_EXTERN_C_END

#endif
