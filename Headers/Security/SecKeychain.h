/* File keychains. */
#ifndef CHATELAINE_SECKEYCHAIN_H
#define CHATELAINE_SECKEYCHAIN_H

#include <CoreFoundation/CFArray.h>
#include <Security/SecBase.h>
#include <Security/SecKeychainConstants.h>
#include <sys/types.h>

CF_EXTERN_C_BEGIN

/* The bits of a SecKeychainStatus. */
enum {
    kSecUnlockStateStatus = 1,
    kSecReadPermStatus = 2,
    kSecWritePermStatus = 4
};

/* The owner of keychain preferences: a default keychain and a search list. */
typedef SInt32 SecPreferencesDomain;
enum {
    kSecPreferencesDomainUser = 0,
    /* The preferences of the machine's services. */
    kSecPreferencesDomainSystem = 1,
    /* The keychains that follow every user's own search list. */
    kSecPreferencesDomainCommon = 2,
    /* Keychains that come and go with a device. */
    kSecPreferencesDomainDynamic = 3
};

/* The one version of SecKeychainSettings. */
enum { SEC_KEYCHAIN_SETTINGS_VERS1 = 1 };

/*
 * The conditions under which a keychain locks by itself: when the machine goes to sleep, and after lockInterval seconds
 * without use. INT32_MAX means no interval.
 */
typedef struct SecKeychainSettings {
    UInt32 version;
    Boolean lockOnSleep;
    Boolean useLockInterval;
    UInt32 lockInterval;
} SecKeychainSettings;

/* The events for which a callback is called. */
typedef UInt32 SecKeychainEventMask;
enum {
    kSecLockEventMask = 1u << kSecLockEvent,
    kSecUnlockEventMask = 1u << kSecUnlockEvent,
    kSecAddEventMask = 1u << kSecAddEvent,
    kSecDeleteEventMask = 1u << kSecDeleteEvent,
    kSecUpdateEventMask = 1u << kSecUpdateEvent,
    kSecPasswordChangedEventMask = 1u << kSecPasswordChangedEvent,
    kSecDefaultChangedEventMask = 1u << kSecDefaultChangedEvent,
    kSecDataAccessEventMask = 1u << kSecDataAccessEvent,
    kSecKeychainListChangedMask = 1u << kSecKeychainListChangedEvent,
    kSecTrustSettingsChangedEventMask = 1u << kSecTrustSettingsChangedEvent
};
/* An enum of its own: the value does not fit an int, and would widen the type of the constants above. */
__extension__ enum { kSecEveryEventMask = 0xffffffffu };

/*
 * The details of an event, for a callback. The objects are valid during the callback only: CFRetain what you keep.
 *
 * The item is NULL for events about no item, and for an update that stands for updates of many items. The keychain is
 * NULL for a change of the search list. pid is the process that caused the event, 0 where the keychain locked by
 * itself.
 */
typedef struct SecKeychainCallbackInfo {
    UInt32 version;
    SecKeychainItemRef item;
    SecKeychainRef keychain;
    pid_t pid;
} SecKeychainCallbackInfo;

/* A function that receives events; its result is ignored. */
typedef OSStatus (*SecKeychainCallback)(SecKeychainEvent keychainEvent, SecKeychainCallbackInfo *info, void *context);

CF_EXPORT CFTypeID SecKeychainGetTypeID(void);
CF_EXPORT OSStatus SecKeychainGetVersion(UInt32 *returnVers);

/*
 * Copies the object of a keychain, by a name in the folder of keychains or by a path. A process has one object for each
 * path. The call does not check whether the file exists; the first use does.
 */
CF_EXPORT OSStatus SecKeychainOpen(const char *pathName, SecKeychainRef *keychain);

/*
 * Creates a keychain, unlocks it and appends it to the search list. The access object is ignored.
 *
 * Without a password, promptUser decides: if it is true, a dialog asks a person for one. That returns
 * errSecUserCanceled where the person cancels, and errSecInteractionNotAllowed where nobody can be asked. If promptUser
 * is false, a missing password is errSecParam.
 */
CF_EXPORT OSStatus SecKeychainCreate(
    const char *pathName, UInt32 passwordLength, const void *password, Boolean promptUser, SecAccessRef initialAccess,
    SecKeychainRef *keychain);

/* In all calls below, NULL stands for the default keychain; errSecNoDefaultKeychain where none is set. */

/*
 * Unlocks a keychain. An unlocked keychain stays unlocked, whatever the password.
 *
 * Returns errSecAuthFailed for a wrong password, and for one that comes too soon after wrong ones. Without usePassword
 * a dialog asks a person: errSecUserCanceled where the person cancels, errSecInteractionNotAllowed where nobody can be
 * asked.
 */
CF_EXPORT OSStatus SecKeychainUnlock(
    SecKeychainRef keychain, UInt32 passwordLength, const void *password, Boolean usePassword);

/* Locks a keychain for all programs. A keychain that is locked already, or does not exist, is no error. */
CF_EXPORT OSStatus SecKeychainLock(SecKeychainRef keychain);
CF_EXPORT OSStatus SecKeychainLockAll(void);

/* Deletes a keychain, or every keychain of a CFArray, with its items; errSecInvalidKeychain for NULL. */
CF_EXPORT OSStatus SecKeychainDelete(SecKeychainRef keychainOrArray);

CF_EXPORT OSStatus SecKeychainGetStatus(SecKeychainRef keychain, SecKeychainStatus *keychainStatus);

/*
 * Copies the path of a keychain, with a zero byte at the end. ioPathLength has the size of the buffer, and receives the
 * length of the path without the zero byte. errSecBufferTooSmall where the buffer is too small.
 */
CF_EXPORT OSStatus SecKeychainGetPath(SecKeychainRef keychain, UInt32 *ioPathLength, char *pathName);

/*
 * Copies or sets the settings of a keychain. If the keychain is locked, a dialog asks a person for its password, as in
 * SecKeychainUnlock. As on macOS, settings with another version change nothing, and an interval counts whether
 * useLockInterval is true or not; an interval of 0 without useLockInterval means never.
 */
CF_EXPORT OSStatus SecKeychainCopySettings(SecKeychainRef keychain, SecKeychainSettings *outSettings);
CF_EXPORT OSStatus SecKeychainSetSettings(SecKeychainRef keychain, const SecKeychainSettings *newSettings);

/* Return errSecUnimplemented, as on macOS: each item has an access object of its own (SecKeychainItemCopyAccess). */
CF_EXPORT OSStatus SecKeychainCopyAccess(SecKeychainRef keychain, SecAccessRef *access);
CF_EXPORT OSStatus SecKeychainSetAccess(SecKeychainRef keychain, SecAccessRef access);

/*
 * Adds or removes a callback for events of file keychains, whichever process causes them.
 *
 * The callback runs on the thread that added it, while the run loop of that thread runs (CoreFoundation/CFRunLoop.h),
 * and never inside the call that causes the event. The callback may read and delete the item, and add and remove
 * callbacks. errSecDuplicateCallback for a function added twice, errSecInvalidCallback for removing one not added.
 */
CF_EXPORT OSStatus SecKeychainAddCallback(
    SecKeychainCallback callbackFunction, SecKeychainEventMask eventMask, void *userContext);
CF_EXPORT OSStatus SecKeychainRemoveCallback(SecKeychainCallback callbackFunction);

/* Whether calls of this process about file keychains may open a dialog. */
CF_EXPORT OSStatus SecKeychainSetUserInteractionAllowed(Boolean state);
CF_EXPORT OSStatus SecKeychainGetUserInteractionAllowed(Boolean *state);

/* The search list: SecKeychainRefs in the order of the search, the user's own first, then those of the machine. */
CF_EXPORT OSStatus SecKeychainCopySearchList(CFArrayRef *searchList);
CF_EXPORT OSStatus SecKeychainSetSearchList(CFArrayRef searchList);

/* The default keychain. */
CF_EXPORT OSStatus SecKeychainCopyDefault(SecKeychainRef *keychain);
CF_EXPORT OSStatus SecKeychainSetDefault(SecKeychainRef keychain);

/*
 * The search list and default keychain of one domain. The list has only the domain's own keychains. The dynamic domain
 * has no default, and nothing of it can be set: errSecInvalidPrefsDomain. errSecReadOnly for setting those of the
 * machine.
 */
CF_EXPORT OSStatus SecKeychainCopyDomainSearchList(SecPreferencesDomain domain, CFArrayRef *searchList);
CF_EXPORT OSStatus SecKeychainSetDomainSearchList(SecPreferencesDomain domain, CFArrayRef searchList);
CF_EXPORT OSStatus SecKeychainCopyDomainDefault(SecPreferencesDomain domain, SecKeychainRef *keychain);
CF_EXPORT OSStatus SecKeychainSetDomainDefault(SecPreferencesDomain domain, SecKeychainRef keychain);

/* The domain that calls of this process use where they name none. */
CF_EXPORT OSStatus SecKeychainSetPreferenceDomain(SecPreferencesDomain domain);
CF_EXPORT OSStatus SecKeychainGetPreferenceDomain(SecPreferencesDomain *domain);

/*
 * Stores a password. Password and names stay the caller's. An argument that is NULL, empty or 0 gives the item no such
 * attribute. itemRef may be NULL. Returns errSecDuplicateItem, errSecNoDefaultKeychain, errSecAuthFailed and others.
 */
CF_EXPORT OSStatus SecKeychainAddGenericPassword(
    SecKeychainRef keychain, UInt32 serviceNameLength, const char *serviceName, UInt32 accountNameLength,
    const char *accountName, UInt32 passwordLength, const void *passwordData, SecKeychainItemRef *itemRef);
CF_EXPORT OSStatus SecKeychainAddInternetPassword(
    SecKeychainRef keychain, UInt32 serverNameLength, const char *serverName, UInt32 securityDomainLength,
    const char *securityDomain, UInt32 accountNameLength, const char *accountName, UInt32 pathLength, const char *path,
    UInt16 port, SecProtocolType protocol, SecAuthenticationType authenticationType, UInt32 passwordLength,
    const void *passwordData, SecKeychainItemRef *itemRef);

/*
 * Finds the first password that matches, in a keychain, in the keychains of a CFArray, or for NULL in the search list.
 *
 * An argument that is NULL, empty or 0 matches any value. Release the password with SecKeychainItemFreeContent. If the
 * caller passes no place for the password, the call does not read it and opens no dialog.
 */
CF_EXPORT OSStatus SecKeychainFindGenericPassword(
    CFTypeRef keychainOrArray, UInt32 serviceNameLength, const char *serviceName, UInt32 accountNameLength,
    const char *accountName, UInt32 *passwordLength, void **passwordData, SecKeychainItemRef *itemRef);
CF_EXPORT OSStatus SecKeychainFindInternetPassword(
    CFTypeRef keychainOrArray, UInt32 serverNameLength, const char *serverName, UInt32 securityDomainLength,
    const char *securityDomain, UInt32 accountNameLength, const char *accountName, UInt32 pathLength, const char *path,
    UInt16 port, SecProtocolType protocol, SecAuthenticationType authenticationType, UInt32 *passwordLength,
    void **passwordData, SecKeychainItemRef *itemRef);

/*
 * Copies the attributes that items of a class have, and their formats (CSSM_DB_ATTRIBUTE_FORMAT). itemID is the number
 * of a table, or a SecItemClass. As on macOS, the tag of a label is 7 in tables, and that of an alias 8; calls also
 * take the four-character tags.
 */
CF_EXPORT OSStatus SecKeychainAttributeInfoForItemID(
    SecKeychainRef keychain, UInt32 itemID, SecKeychainAttributeInfo **info);
CF_EXPORT OSStatus SecKeychainFreeAttributeInfo(SecKeychainAttributeInfo *info);

CF_EXTERN_C_END

#endif
