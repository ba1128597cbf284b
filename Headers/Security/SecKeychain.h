/* File keychains. */
#ifndef CHATELAINE_SECKEYCHAIN_H
#define CHATELAINE_SECKEYCHAIN_H

#include <CoreFoundation/CFArray.h>
#include <Security/SecBase.h>
#include <Security/SecKeychainConstants.h>
#include <sys/types.h>

CF_EXTERN_C_BEGIN

/* How it stands with a keychain. */
enum {
    kSecUnlockStateStatus = 1,
    kSecReadPermStatus = 2,
    kSecWritePermStatus = 4
};

/* Whose keychain preferences are meant. */
typedef SInt32 SecPreferencesDomain;
enum {
    kSecPreferencesDomainUser = 0,
    /* What services of the machine go by. */
    kSecPreferencesDomainSystem = 1,
    /* What follows every user's own search list. */
    kSecPreferencesDomainCommon = 2,
    /* Keychains that come and go with a device. */
    kSecPreferencesDomainDynamic = 3
};

/* The one version of SecKeychainSettings. */
enum { SEC_KEYCHAIN_SETTINGS_VERS1 = 1 };

/* When a keychain locks by itself: as the machine goes to sleep, and after so many seconds without use; INT32_MAX for none. */
typedef struct SecKeychainSettings {
    UInt32 version;
    Boolean lockOnSleep;
    Boolean useLockInterval;
    UInt32 lockInterval;
} SecKeychainSettings;

/* Which events a callback is called for. */
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
/* By itself: it is no int, and would make its neighbours as large. */
__extension__ enum { kSecEveryEventMask = 0xffffffffu };

/*
 * What a callback is told besides the event. The objects are lent for the call: CFRetain what is to stay. The item is NULL of events
 * about no item, and of an update that stands for those of many items; the keychain is NULL of a change of the search list. pid is the
 * process that did it, 0 where the keychain locked by itself.
 */
typedef struct SecKeychainCallbackInfo {
    UInt32 version;
    SecKeychainItemRef item;
    SecKeychainRef keychain;
    pid_t pid;
} SecKeychainCallbackInfo;

/* What it returns counts for nothing. */
typedef OSStatus (*SecKeychainCallback)(SecKeychainEvent keychainEvent, SecKeychainCallbackInfo *info, void *context);

CF_EXPORT CFTypeID SecKeychainGetTypeID(void);
CF_EXPORT OSStatus SecKeychainGetVersion(UInt32 *returnVers);

/*
 * Gives the object of a keychain, by a name in the folder of keychains or by a path. A process has one object for each path. Whether
 * there is a keychain shows when it is used.
 */
CF_EXPORT OSStatus SecKeychainOpen(const char *pathName, SecKeychainRef *keychain);

/*
 * Makes a keychain, which is unlocked then and searched last. The access object is set aside. Without a password a person is
 * asked for one where promptUser says so: errSecUserCanceled, and errSecInteractionNotAllowed where nobody can be. Else it is
 * errSecParam.
 */
CF_EXPORT OSStatus SecKeychainCreate(
    const char *pathName, UInt32 passwordLength, const void *password, Boolean promptUser, SecAccessRef initialAccess,
    SecKeychainRef *keychain);

/* In all calls below, a keychain that is NULL is the default one; errSecNoDefaultKeychain where none is set. */

/*
 * Unlocks it. One that is unlocked stays so, whatever the password. errSecAuthFailed for a wrong one, and for one that comes too early
 * after wrong ones. Without usePassword a person is asked: errSecUserCanceled, and errSecInteractionNotAllowed where nobody can be.
 */
CF_EXPORT OSStatus SecKeychainUnlock(
    SecKeychainRef keychain, UInt32 passwordLength, const void *password, Boolean usePassword);

/* Locks it for all programs. One that is locked, or not there, is no failure. */
CF_EXPORT OSStatus SecKeychainLock(SecKeychainRef keychain);
CF_EXPORT OSStatus SecKeychainLockAll(void);

/* Deletes a keychain, or those of a CFArray, with all that is in them; errSecInvalidKeychain for NULL. */
CF_EXPORT OSStatus SecKeychainDelete(SecKeychainRef keychainOrArray);

CF_EXPORT OSStatus SecKeychainGetStatus(SecKeychainRef keychain, SecKeychainStatus *keychainStatus);

/*
 * Copies its path, with a zero at the end. ioPathLength says how much room there is, then how long the path is without the zero.
 * errSecBufferTooSmall.
 */
CF_EXPORT OSStatus SecKeychainGetPath(SecKeychainRef keychain, UInt32 *ioPathLength, char *pathName);

/*
 * Its settings. A person is asked for the password of a locked one, as SecKeychainUnlock does. errSecWrongSecVersion for settings without their version. An interval counts whether
 * useLockInterval says so or not, as on macOS; 0 without it is never.
 */
CF_EXPORT OSStatus SecKeychainCopySettings(SecKeychainRef keychain, SecKeychainSettings *outSettings);
CF_EXPORT OSStatus SecKeychainSetSettings(SecKeychainRef keychain, const SecKeychainSettings *newSettings);

/* errSecUnimplemented, as on macOS: who may use what is said of each item (SecKeychainItemCopyAccess). */
CF_EXPORT OSStatus SecKeychainCopyAccess(SecKeychainRef keychain, SecAccessRef *access);
CF_EXPORT OSStatus SecKeychainSetAccess(SecKeychainRef keychain, SecAccessRef access);

/*
 * Has a function called for what happens to file keychains, whoever does it: on this thread, while its run loop runs
 * (CoreFoundation/CFRunLoop.h), never inside of the call that changes something. In it the item may be read and deleted, and callbacks
 * added and removed. errSecDuplicateCallback; errSecInvalidCallback for removing what is no callback.
 */
CF_EXPORT OSStatus SecKeychainAddCallback(
    SecKeychainCallback callbackFunction, SecKeychainEventMask eventMask, void *userContext);
CF_EXPORT OSStatus SecKeychainRemoveCallback(SecKeychainCallback callbackFunction);

/* Whether calls of this process about file keychains may have a person asked. */
CF_EXPORT OSStatus SecKeychainSetUserInteractionAllowed(Boolean state);
CF_EXPORT OSStatus SecKeychainGetUserInteractionAllowed(Boolean *state);

/* The keychains that are searched, SecKeychainRefs in order: the user's own, and those of the machine behind them. */
CF_EXPORT OSStatus SecKeychainCopySearchList(CFArrayRef *searchList);
CF_EXPORT OSStatus SecKeychainSetSearchList(CFArrayRef searchList);

/* The default keychain. */
CF_EXPORT OSStatus SecKeychainCopyDefault(SecKeychainRef *keychain);
CF_EXPORT OSStatus SecKeychainSetDefault(SecKeychainRef keychain);

/*
 * The same of a domain, whose list is its own. errSecInvalidPrefsDomain for setting anything of the dynamic domain, and for its default;
 * errSecReadOnly for setting those of the machine.
 */
CF_EXPORT OSStatus SecKeychainCopyDomainSearchList(SecPreferencesDomain domain, CFArrayRef *searchList);
CF_EXPORT OSStatus SecKeychainSetDomainSearchList(SecPreferencesDomain domain, CFArrayRef searchList);
CF_EXPORT OSStatus SecKeychainCopyDomainDefault(SecPreferencesDomain domain, SecKeychainRef *keychain);
CF_EXPORT OSStatus SecKeychainSetDomainDefault(SecPreferencesDomain domain, SecKeychainRef keychain);

/* Which domain calls of this process mean that name none. */
CF_EXPORT OSStatus SecKeychainSetPreferenceDomain(SecPreferencesDomain domain);
CF_EXPORT OSStatus SecKeychainGetPreferenceDomain(SecPreferencesDomain *domain);

/*
 * Stores a password, which is in memory of the caller's as its names are. A name that is NULL or empty, and what is 0, the item does not
 * get. The item may be NULL where nobody wants it. errSecDuplicateItem, errSecNoDefaultKeychain, errSecAuthFailed and others.
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
 * Finds the first password of its name, in a keychain, in those of a CFArray, or with NULL in the search list. A name that is NULL or
 * empty, and what is 0, matches any. The password goes back by SecKeychainItemFreeContent; nobody is asked for it where it is not wanted.
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
 * Tells which attributes items of a class have, and in which form (CSSM_DB_ATTRIBUTE_FORMAT), by the number of their table or by
 * SecItemClass. Tables call a label 7 and an alias 8, as on macOS; calls take both names.
 */
CF_EXPORT OSStatus SecKeychainAttributeInfoForItemID(
    SecKeychainRef keychain, UInt32 itemID, SecKeychainAttributeInfo **info);
CF_EXPORT OSStatus SecKeychainFreeAttributeInfo(SecKeychainAttributeInfo *info);

CF_EXTERN_C_END

#endif
