/* What protects an item. */
#ifndef CHATELAINE_SECACCESSCONTROL_H
#define CHATELAINE_SECACCESSCONTROL_H

#include <CoreFoundation/CFError.h>
#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN

/* What using an item needs besides its protection class. */
typedef CFOptionFlags SecAccessControlCreateFlags;

/* __extension__: the last is no int, as C before C23 wants it. */
__extension__ enum {
    /* The device's owner: a biometric that is enrolled, or the passcode. */
    kSecAccessControlUserPresence = 1u << 0,
    /* A biometric that is enrolled, also one that is enrolled later. */
    kSecAccessControlBiometryAny = 1u << 1,
    /* The former name of kSecAccessControlBiometryAny. */
    kSecAccessControlTouchIDAny = 1u << 1,
    /* A biometric, as long as those are enrolled that were when the item was stored. */
    kSecAccessControlBiometryCurrentSet = 1u << 3,
    /* The former name of kSecAccessControlBiometryCurrentSet. */
    kSecAccessControlTouchIDCurrentSet = 1u << 3,
    /* The passcode. */
    kSecAccessControlDevicePasscode = 1u << 4,
    /* The former name of kSecAccessControlCompanion. */
    kSecAccessControlWatch = 1u << 5,
    /* A device nearby. */
    kSecAccessControlCompanion = 1u << 5,
    /* One of the constraints is enough. */
    kSecAccessControlOr = 1u << 14,
    /* All constraints have to be satisfied. */
    kSecAccessControlAnd = 1u << 15,
    /* The constraints are on what is done with a private key. */
    kSecAccessControlPrivateKeyUsage = 1u << 30,
    /* A password of the program's own, under which the item is encrypted as well. */
    kSecAccessControlApplicationPassword = 1u << 31
};

/* The type of the objects that results carry under kSecAttrAccessControl, as CFGetTypeID tells it. */
CF_EXPORT CFTypeID SecAccessControlGetTypeID(void);

/*
 * Makes an access control, with one reference for the caller. The protection is one of the kSecAttrAccessible constants; the
 * allocator is not used. Returns NULL for a protection that is none, a flag that means nothing, and flags that exclude each other.
 * Where error is not NULL an error with the code errSecParam is then put there, which the caller releases.
 */
CF_EXPORT SecAccessControlRef SecAccessControlCreateWithFlags(
    CFAllocatorRef allocator, CFTypeRef protection, SecAccessControlCreateFlags flags, CFErrorRef *error);

CF_EXTERN_C_END

#endif
