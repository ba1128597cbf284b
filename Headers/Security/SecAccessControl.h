/* Access controls: the protection of an item. */
#ifndef CHATELAINE_SECACCESSCONTROL_H
#define CHATELAINE_SECACCESSCONTROL_H

#include <CoreFoundation/CFError.h>
#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN

/* The constraints on the use of an item, besides its protection class. */
typedef CFOptionFlags SecAccessControlCreateFlags;

/* __extension__: the last value does not fit an int, which C before C23 requires. */
__extension__ enum {
    /* The presence of the device's owner: an enrolled biometric, or the passcode. */
    kSecAccessControlUserPresence = 1u << 0,
    /* An enrolled biometric, even one enrolled after the item was stored. */
    kSecAccessControlBiometryAny = 1u << 1,
    /* The former name of kSecAccessControlBiometryAny. */
    kSecAccessControlTouchIDAny = 1u << 1,
    /* An enrolled biometric, while the set of enrolled biometrics is that from when the item was stored. */
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
    /* The constraints apply to the operations with a private key. */
    kSecAccessControlPrivateKeyUsage = 1u << 30,
    /* The program's own password, which encrypts the item in addition. */
    kSecAccessControlApplicationPassword = 1u << 31
};

/* The type of an access control, as CFGetTypeID returns it. Results have one under kSecAttrAccessControl. */
CF_EXPORT CFTypeID SecAccessControlGetTypeID(void);

/*
 * Makes an access control, which the caller releases. The protection is one of the kSecAttrAccessible constants. The
 * allocator is ignored.
 *
 * Returns NULL for any other protection, for an unknown flag, and for flags that exclude each other. A non-NULL error
 * then receives an error with the code errSecParam, which the caller releases.
 */
CF_EXPORT SecAccessControlRef SecAccessControlCreateWithFlags(
    CFAllocatorRef allocator, CFTypeRef protection, SecAccessControlCreateFlags flags, CFErrorRef *error);

CF_EXTERN_C_END

#endif
