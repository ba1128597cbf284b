// Tests of whole file keychains: created, unlocked, locked and deleted, as a program for macOS does.
#include "check.h"

#include <string.h>

static const char *const file_name = "c-suite.keychain";

static UInt32 status_bits(SecKeychainRef keychain) {
    SecKeychainStatus bits = 0;
    CHECK_STATUS(SecKeychainGetStatus(keychain, &bits), errSecSuccess);
    return bits;
}

static void test_life(void) {
    const char *password = "correct horse";
    UInt32 length = (UInt32)strlen(password);
    SecKeychainRef keychain = NULL, again = NULL;
    CHECK_STATUS(SecKeychainCreate(file_name, length, password, FALSE, NULL, &keychain), errSecSuccess);
    CHECK(keychain && CFGetTypeID(keychain) == SecKeychainGetTypeID());
    CHECK_STATUS(SecKeychainOpen(file_name, &again), errSecSuccess);
    CHECK(keychain == again);
    CFRelease(again);
    CHECK(status_bits(keychain) == (kSecUnlockStateStatus | kSecReadPermStatus | kSecWritePermStatus));
    CHECK_STATUS(SecKeychainCreate(file_name, length, password, FALSE, NULL, &again), errSecDuplicateKeychain);

    SecKeychainSettings settings = {SEC_KEYCHAIN_SETTINGS_VERS1, FALSE, TRUE, 120};
    CHECK_STATUS(SecKeychainSetSettings(keychain, &settings), errSecSuccess);
    memset(&settings, 0, sizeof settings);
    CHECK_STATUS(SecKeychainCopySettings(keychain, &settings), errSecSuccess);
    CHECK(settings.version == SEC_KEYCHAIN_SETTINGS_VERS1 && !settings.lockOnSleep && settings.useLockInterval);
    CHECK(settings.lockInterval == 120);
    settings.version = 0;
    settings.lockInterval = 7;
    CHECK_STATUS(SecKeychainSetSettings(keychain, &settings), errSecSuccess);
    CHECK_STATUS(SecKeychainCopySettings(keychain, &settings), errSecSuccess);
    CHECK(settings.lockInterval == 120);

    CHECK_STATUS(SecKeychainLock(keychain), errSecSuccess);
    CHECK(!(status_bits(keychain) & kSecUnlockStateStatus));
    CHECK_STATUS(SecKeychainUnlock(keychain, 5, "wrong", TRUE), errSecAuthFailed);
    CHECK_STATUS(SecKeychainUnlock(keychain, 0, NULL, FALSE), errSecInteractionNotAllowed);
    CHECK_STATUS(SecKeychainUnlock(keychain, length, password, TRUE), errSecSuccess);
    CHECK(status_bits(keychain) & kSecUnlockStateStatus);
    CHECK_STATUS(SecKeychainLockAll(), errSecSuccess);
    CHECK(!(status_bits(keychain) & kSecUnlockStateStatus));

    char path[4096];
    UInt32 room = sizeof path;
    CHECK_STATUS(SecKeychainGetPath(keychain, &room, path), errSecSuccess);
    CHECK(room == strlen(path) && strstr(path, "/c-suite.keychain-db"));
    UInt32 short_room = room;
    CHECK_STATUS(SecKeychainGetPath(keychain, &short_room, path), errSecBufferTooSmall);
    CHECK(short_room == room);

    CFArrayRef list = NULL;
    CHECK_STATUS(SecKeychainCopySearchList(&list), errSecSuccess);
    CHECK(CFArrayContainsValue(list, CFRangeMake(0, CFArrayGetCount(list)), keychain));
    CFArrayRef own = NULL;
    CHECK_STATUS(SecKeychainCopyDomainSearchList(kSecPreferencesDomainUser, &own), errSecSuccess);
    CHECK_STATUS(SecKeychainSetSearchList(list), errSecSuccess);
    CFArrayRef now = NULL;
    CHECK_STATUS(SecKeychainCopyDomainSearchList(kSecPreferencesDomainUser, &now), errSecSuccess);
    CHECK(CFEqual(own, now));
    CFRelease(now);
    CFRelease(own);
    CFRelease(list);

    CHECK_STATUS(SecKeychainSetDefault(keychain), errSecSuccess);
    CHECK_STATUS(SecKeychainCopyDefault(&again), errSecSuccess);
    CHECK(again == keychain);
    CFRelease(again);
    CHECK(status_bits(NULL) == status_bits(keychain));

    const void *values[] = {keychain};
    CFArrayRef both = CFArrayCreate(NULL, values, 1, &kCFTypeArrayCallBacks);
    CHECK_STATUS(SecKeychainDelete((SecKeychainRef)both), errSecSuccess);
    CHECK_STATUS(SecKeychainDelete(keychain), errSecNoSuchKeychain);
    SecKeychainStatus bits = 0;
    CHECK_STATUS(SecKeychainGetStatus(keychain, &bits), errSecNoSuchKeychain);
    CFRelease(both);
    CFRelease(keychain);
}

static void test_process(void) {
    UInt32 version = 0;
    CHECK_STATUS(SecKeychainGetVersion(&version), errSecSuccess);
    CHECK(version == 0x02028000);
    Boolean allowed = 7;
    CHECK_STATUS(SecKeychainGetUserInteractionAllowed(&allowed), errSecSuccess);
    CHECK(allowed == TRUE);
    CHECK_STATUS(SecKeychainSetUserInteractionAllowed(FALSE), errSecSuccess);
    CHECK_STATUS(SecKeychainGetUserInteractionAllowed(&allowed), errSecSuccess);
    CHECK(allowed == FALSE);
    CHECK_STATUS(SecKeychainSetUserInteractionAllowed(TRUE), errSecSuccess);
    SecPreferencesDomain domain = 7;
    CHECK_STATUS(SecKeychainSetPreferenceDomain(9), errSecInvalidPrefsDomain);
    CHECK_STATUS(SecKeychainGetPreferenceDomain(&domain), errSecSuccess);
    CHECK(domain == kSecPreferencesDomainUser);
}

/// The calls get null pointers and objects of other types.
static void test_mistakes(void) {
    SecKeychainRef keychain = NULL;
    UInt32 room = 10;
    SecKeychainStatus bits = 0;
    CFArrayRef list = NULL;
    CHECK_STATUS(SecKeychainOpen(NULL, &keychain), errSecParam);
    CHECK_STATUS(SecKeychainOpen(file_name, NULL), errSecParam);
    CHECK_STATUS(SecKeychainCreate(NULL, 1, "x", FALSE, NULL, &keychain), errSecParam);
    CHECK_STATUS(SecKeychainCreate(file_name, 0, NULL, FALSE, NULL, &keychain), errSecParam);
    CHECK_STATUS(SecKeychainCreate(file_name, 0, NULL, TRUE, NULL, &keychain), errSecInteractionNotAllowed);
    CHECK_STATUS(SecKeychainDelete(NULL), errSecInvalidKeychain);
    CHECK_STATUS(SecKeychainLock(NULL), errSecNoDefaultKeychain);
    // The bytes are no text: in a name, in a path, and cut off at the end.
    const char *const names[] = {"a\xFF.keychain", "/tmp/\xC3\x28/a", "\xED\xA0\x80", "a\xC3"};
    for (size_t index = 0; index < sizeof names / sizeof names[0]; index++) {
        CHECK_STATUS(SecKeychainOpen(names[index], &keychain), errSecParam);
        CHECK_STATUS(SecKeychainCreate(names[index], 1, "x", FALSE, NULL, &keychain), errSecParam);
    }
    CHECK(!keychain);
    const void *wrong[] = {CFSTR("x"), kCFNull, (const void *)8, (const void *)&room};
    for (size_t index = 0; index < sizeof wrong / sizeof wrong[0]; index++) {
        SecKeychainRef other = (SecKeychainRef)wrong[index];
        CHECK_STATUS(SecKeychainLock(other), errSecParam);
        CHECK_STATUS(SecKeychainUnlock(other, 1, "x", TRUE), errSecParam);
        CHECK_STATUS(SecKeychainDelete(other), errSecParam);
        CHECK_STATUS(SecKeychainGetStatus(other, &bits), errSecParam);
        CHECK_STATUS(SecKeychainSetDefault(other), errSecParam);
        CHECK_STATUS(SecKeychainSetSearchList((CFArrayRef)wrong[index]), errSecParam);
    }
    CHECK_STATUS(SecKeychainSetSearchList(NULL), errSecParam);
    CHECK_STATUS(SecKeychainCopySearchList(NULL), errSecParam);
    CHECK_STATUS(SecKeychainCopyDomainSearchList(9, &list), errSecInvalidPrefsDomain);
    CHECK_STATUS(SecKeychainGetVersion(NULL), errSecParam);
    CHECK_STATUS(SecKeychainOpen(file_name, &keychain), errSecSuccess);
    CHECK_STATUS(SecKeychainGetPath(keychain, NULL, NULL), errSecParam);
    CHECK_STATUS(SecKeychainGetPath(keychain, &room, NULL), errSecParam);
    CHECK_STATUS(SecKeychainGetStatus(keychain, NULL), errSecParam);
    CHECK_STATUS(SecKeychainCopySettings(keychain, NULL), errSecParam);
    CHECK_STATUS(SecKeychainSetSettings(keychain, NULL), errSecParam);
    SecAccessRef access = NULL;
    CHECK_STATUS(SecKeychainCopyAccess(keychain, &access), errSecUnimplemented);
    CHECK(!access);
    CHECK_STATUS(SecKeychainCopyAccess(NULL, NULL), errSecUnimplemented);
    CHECK_STATUS(SecKeychainSetAccess(keychain, NULL), errSecUnimplemented);
    CFRelease(keychain);
}

void test_keychains(void) {
    test_mistakes();
    test_life();
    test_process();
}
