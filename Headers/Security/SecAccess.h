/* Access objects: who may do what with an item of a file keychain. */
#ifndef CHATELAINE_SECACCESS_H
#define CHATELAINE_SECACCESS_H

#include <CoreFoundation/CFArray.h>
#include <Security/SecAccessConstants.h>
#include <Security/SecBase.h>
#include <Security/cssmtype.h>

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

/* Copies all entries, SecACLRefs, the owner's among them, in no certain order. */
CF_EXPORT OSStatus SecAccessCopyACLList(SecAccessRef accessRef, CFArrayRef *aclList);

/* Copies the entries that give a right, or all; NULL where there is none. */
CF_EXPORT CFArrayRef SecAccessCopyMatchingACLList(SecAccessRef accessRef, CFTypeRef authorizationTag);

CF_EXTERN_C_END

#endif
