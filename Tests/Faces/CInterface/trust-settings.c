// Tests of trust settings from C (behaviour/trust.md). Root would change the machine's own settings here, so as root
// they only read.
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "samples.h"

static void test_user_settings(SecCertificateRef root) {
    CFArrayRef settings = NULL, all = NULL;
    CFDateRef date = NULL;
    CFDataRef file = NULL;
    CFNumberRef deny = number(kSecTrustSettingsResultDeny);
    CFMutableDictionaryRef denied = dictionary(kSecTrustSettingsResult, deny, NULL);
    CHECK_STATUS(SecTrustSettingsSetTrustSettings(root, kSecTrustSettingsDomainUser, denied), errSecSuccess);
    CHECK_STATUS(SecTrustSettingsCopyTrustSettings(root, kSecTrustSettingsDomainUser, &settings), errSecSuccess);
    CHECK(is_of(settings, CFArrayGetTypeID()) && CFArrayGetCount(settings) == 1);
    CFDictionaryRef first = settings ? CFArrayGetValueAtIndex(settings, 0) : NULL;
    CHECK(first && is_number(CFDictionaryGetValue(first, kSecTrustSettingsResult), kSecTrustSettingsResultDeny));
    CHECK_STATUS(SecTrustSettingsCopyCertificates(kSecTrustSettingsDomainUser, &all), errSecSuccess);
    CHECK(all && CFArrayGetCount(all) == 1 && CFEqual(CFArrayGetValueAtIndex(all, 0), root));
    CHECK_STATUS(SecTrustSettingsCopyCertificates(kSecTrustSettingsDomainUser, NULL), errSecSuccess);
    CHECK_STATUS(SecTrustSettingsCopyModificationDate(root, kSecTrustSettingsDomainUser, &date), errSecSuccess);
    CHECK(is_of(date, CFDateGetTypeID()));
    CHECK_STATUS(SecTrustSettingsCreateExternalRepresentation(kSecTrustSettingsDomainUser, &file), errSecSuccess);
    CHECK(is_of(file, CFDataGetTypeID()));
    SecTrustRef trust = NULL;
    CFErrorRef error = NULL;
    CFArrayRef anchors = list(root, NULL, NULL);
    CHECK_STATUS(SecTrustCreateWithCertificates(root, NULL, &trust), errSecSuccess);
    CHECK_STATUS(SecTrustSetAnchorCertificates(trust, anchors), errSecSuccess);
    CHECK(!SecTrustEvaluateWithError(trust, &error) && error);
    drop(error);
    SecTrustResultType result = kSecTrustResultInvalid;
    CHECK_STATUS(SecTrustGetTrustResult(trust, &result), errSecSuccess);
    CHECK(result == kSecTrustResultDeny);
    drop(trust);
    CHECK_STATUS(SecTrustSettingsRemoveTrustSettings(root, kSecTrustSettingsDomainUser), errSecSuccess);
    CHECK_STATUS(SecTrustSettingsImportExternalRepresentation(kSecTrustSettingsDomainUser, file), errSecSuccess);
    CHECK_STATUS(SecTrustSettingsRemoveTrustSettings(root, kSecTrustSettingsDomainUser), errSecSuccess);
    CHECK_STATUS(SecTrustSettingsRemoveTrustSettings(root, kSecTrustSettingsDomainUser), errSecItemNotFound);
    // Only root may change the machine's settings.
    CHECK_STATUS(SecTrustSettingsSetTrustSettings(root, kSecTrustSettingsDomainAdmin, denied), errSecAuthFailed);
    CFTypeRef objects[] = {settings, all, date, file, deny, denied, anchors};
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++) drop(objects[index]);
}

static void test_settings_arguments(SecCertificateRef root) {
    CFArrayRef settings = NULL;
    CFDateRef date = NULL;
    CFDataRef file = NULL;
    const SecTrustSettingsDomain user = kSecTrustSettingsDomainUser, nowhere = 77;
    CHECK_STATUS(SecTrustSettingsCopyTrustSettings(NULL, user, &settings), errSecParam);
    CHECK_STATUS(SecTrustSettingsCopyTrustSettings(root, nowhere, &settings), errSecParam);
    CHECK_STATUS(SecTrustSettingsCopyTrustSettings(root, user, NULL), errSecParam);
    CHECK_STATUS(SecTrustSettingsCopyTrustSettings(root, user, &settings), errSecItemNotFound);
    CHECK_STATUS(SecTrustSettingsCopyModificationDate(NULL, user, &date), errSecParam);
    CHECK_STATUS(SecTrustSettingsCopyModificationDate(root, user, NULL), errSecParam);
    CHECK_STATUS(SecTrustSettingsCopyCertificates(nowhere, &settings), errSecParam);
    CHECK_STATUS(SecTrustSettingsSetTrustSettings(NULL, user, NULL), errSecParam);
    CHECK_STATUS(SecTrustSettingsSetTrustSettings(root, user, root), errSecParam);
    CHECK_STATUS(SecTrustSettingsSetTrustSettings(root, kSecTrustSettingsDomainSystem, NULL), errSecDataNotModifiable);
    CHECK_STATUS(SecTrustSettingsRemoveTrustSettings(NULL, user), errSecParam);
    CHECK_STATUS(SecTrustSettingsCreateExternalRepresentation(user, NULL), errSecParam);
    CHECK_STATUS(SecTrustSettingsCreateExternalRepresentation(nowhere, &file), errSecParam);
    CHECK_STATUS(SecTrustSettingsImportExternalRepresentation(nowhere, NULL), errSecParam);
    CHECK(SecTrustSettingsImportExternalRepresentation(user, NULL) != errSecSuccess);
    CHECK(!settings && !date && !file);
}

void test_trust_settings(void) {
    SecCertificateRef root = sample_root();
    test_settings_arguments(root);
    if (geteuid() != 0) test_user_settings(root);
    drop(root);
}
