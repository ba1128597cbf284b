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
 * Makes an access object. Dialogs show the descriptor as the name of the item. The list has SecTrustedApplicationRefs,
 * which may use the item without a prompt. A NULL list stands for the calling program, an empty list for no program.
 */
CF_EXPORT OSStatus SecAccessCreate(CFStringRef descriptor, CFArrayRef trustedlist, SecAccessRef *accessRef);

/*
 * Makes an access object from an owner and entries in CSSM's form. An unknown subject is kept, and allows nobody.
 */
CF_EXPORT OSStatus SecAccessCreateFromOwnerAndACL(
    const CSSM_ACL_OWNER_PROTOTYPE *owner, uint32 aclCount, const CSSM_ACL_ENTRY_INFO *acls, SecAccessRef *accessRef);

/*
 * Which ids of a process have to match the user or group that an access object belongs to. With kSecHonorRoot, root
 * counts as that user.
 */
typedef uint32_t SecAccessOwnerType;
enum {
    kSecUseOnlyUID = 1,
    kSecUseOnlyGID = 2,
    kSecHonorRoot = 0x100,
    kSecMatchBits = kSecUseOnlyUID | kSecUseOnlyGID
};

/*
 * Makes an access object that gives rights to all processes of a user or a group, whatever program they run.
 *
 * The list has kSecACLAuthorization constants; NULL or an empty list gives all rights. If the list has SecACLRefs
 * instead, they are copied, and those processes may only change the object. Returns NULL on failure; the caller
 * releases the error, and may pass NULL for it.
 */
CF_EXPORT SecAccessRef SecAccessCreateWithOwnerAndACL(
    uid_t userId, gid_t groupId, SecAccessOwnerType ownerType, CFArrayRef acls, CFErrorRef *error);

/*
 * Copies the user and group that an access object belongs to, and its entries except the owner's, as SecACLRefs. If the
 * object belongs to no user or group, the type is 0 and the ids are the largest numbers. Each pointer but the first may
 * be NULL.
 */
CF_EXPORT OSStatus SecAccessCopyOwnerAndACL(
    SecAccessRef accessRef, uid_t *userId, gid_t *groupId, SecAccessOwnerType *ownerType, CFArrayRef *aclList);

/* Copies all entries with the owner's, as SecACLRefs in no certain order. */
CF_EXPORT OSStatus SecAccessCopyACLList(SecAccessRef accessRef, CFArrayRef *aclList);

/* Copies the entries that give a right, or every right; NULL where no entry does. */
CF_EXPORT CFArrayRef SecAccessCopyMatchingACLList(SecAccessRef accessRef, CFTypeRef authorizationTag);

CF_EXTERN_C_END

#endif
