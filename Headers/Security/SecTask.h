/* The entitlements and identifier in the calling program's signature. */
#ifndef CHATELAINE_SECTASK_H
#define CHATELAINE_SECTASK_H

#include <CoreFoundation/CFArray.h>
#include <CoreFoundation/CFDictionary.h>
#include <CoreFoundation/CFError.h>
#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN

/* A process whose entitlements the calls read: always the calling process. */
typedef struct __SecTask *SecTaskRef;

CF_EXPORT CFTypeID SecTaskGetTypeID(void);

/* Makes a task for the calling process, which the caller releases. The allocator is ignored. */
CF_EXPORT SecTaskRef SecTaskCreateFromSelf(CFAllocatorRef allocator);

/*
 * Copies the value of one entitlement, such as "keychain-access-groups".
 *
 * Returns NULL without an error where the signature lacks the entitlement, or the program is not signed. Returns NULL
 * with errSecMissingEntitlement where the signature is not valid, with errSecNotAvailable where securityd cannot be
 * reached, and with errSecParam where an argument has the wrong type. The caller releases the error, and may pass NULL
 * for it.
 */
CF_EXPORT CFTypeRef SecTaskCopyValueForEntitlement(SecTaskRef task, CFStringRef entitlement, CFErrorRef *error);

/*
 * Copies the values of some entitlements, by name; the result omits entitlements that the signature lacks. NULL with an
 * error as above.
 */
CF_EXPORT CFDictionaryRef SecTaskCopyValuesForEntitlements(SecTaskRef task, CFArrayRef entitlements, CFErrorRef *error);

/* Copies the program's identifier from its signature, without the team; NULL as above. */
CF_EXPORT CFStringRef SecTaskCopySigningIdentifier(SecTaskRef task, CFErrorRef *error);

CF_EXTERN_C_END

#endif
