/* What the calling program's signature says of it. */
#ifndef CHATELAINE_SECTASK_H
#define CHATELAINE_SECTASK_H

#include <CoreFoundation/CFArray.h>
#include <CoreFoundation/CFDictionary.h>
#include <CoreFoundation/CFError.h>
#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN

/* A process whose entitlements can be asked for: the calling one. */
typedef struct __SecTask *SecTaskRef;

CF_EXPORT CFTypeID SecTaskGetTypeID(void);

/* Makes a task of the calling process, with one reference for the caller. The allocator is not used. */
CF_EXPORT SecTaskRef SecTaskCreateFromSelf(CFAllocatorRef allocator);

/*
 * Copies what the signature says under one name, such as "keychain-access-groups". NULL without an error where it does not
 * say it, and of a program that is not signed. NULL with errSecMissingEntitlement where the signature does not count, with
 * errSecNotAvailable where securityd is not there, and with errSecParam where an argument is another object than it has to
 * be. Where error is not NULL the error is put there, which the caller releases.
 */
CF_EXPORT CFTypeRef SecTaskCopyValueForEntitlement(SecTaskRef task, CFStringRef entitlement, CFErrorRef *error);

/* Copies what the signature says under some names, by name; what it does not say is left out. NULL with an error as above. */
CF_EXPORT CFDictionaryRef SecTaskCopyValuesForEntitlements(SecTaskRef task, CFArrayRef entitlements, CFErrorRef *error);

/* Copies the program's identifier as its signature has it, without the team; NULL as above. */
CF_EXPORT CFStringRef SecTaskCopySigningIdentifier(SecTaskRef task, CFErrorRef *error);

CF_EXTERN_C_END

#endif
