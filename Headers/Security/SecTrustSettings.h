/* Trust settings: what the user and the administrator trust certificates for. */
#ifndef CHATELAINE_SECTRUSTSETTINGS_H
#define CHATELAINE_SECTRUSTSETTINGS_H

#include <CoreFoundation/CFArray.h>
#include <CoreFoundation/CFDate.h>
#include <CoreFoundation/CFString.h>
#include <Security/SecBase.h>
#include <Security/SecTrustSettingsConstants.h>

CF_EXTERN_C_BEGIN

/*
 * Keys of a dictionary of settings. The values are, in this order: a SecPolicyRef; a host name or e-mail address; a
 * SecTrustedApplicationRef, which stands for the program at its path; and three numbers. The numbers are a
 * SecTrustSettingsKeyUsage, a status that does not count against the certificate, and a SecTrustSettingsResult. Without
 * a result the certificate is a trusted root.
 */
#define kSecTrustSettingsPolicy CFSTR("kSecTrustSettingsPolicy")
#define kSecTrustSettingsPolicyString CFSTR("kSecTrustSettingsPolicyString")
#define kSecTrustSettingsApplication CFSTR("kSecTrustSettingsApplication")
#define kSecTrustSettingsKeyUsage CFSTR("kSecTrustSettingsKeyUsage")
#define kSecTrustSettingsAllowedError CFSTR("kSecTrustSettingsAllowedError")
#define kSecTrustSettingsResult CFSTR("kSecTrustSettingsResult")

/* The uses of a key to which a setting applies. */
typedef UInt32 SecTrustSettingsKeyUsage;
enum {
    kSecTrustSettingsKeyUseSignature = 1,
    kSecTrustSettingsKeyUseEnDecryptData = 2,
    kSecTrustSettingsKeyUseEnDecryptKey = 4,
    kSecTrustSettingsKeyUseSignCert = 8,
    kSecTrustSettingsKeyUseSignRevocation = 16,
    kSecTrustSettingsKeyUseKeyExchange = 32
};
/* An enum of its own: the value does not fit an int, and would widen the type of the constants above. */
__extension__ enum { kSecTrustSettingsKeyUseAny = 0xffffffffu };

/* Copies the certificates that have settings; errSecNoTrustSettings where there are none. certArray may be NULL. */
CF_EXPORT OSStatus SecTrustSettingsCopyCertificates(SecTrustSettingsDomain domain, CFArrayRef *certArray);

/*
 * Copies the settings of a certificate: an array of dictionaries, empty where it is trusted for everything.
 * errSecItemNotFound where the certificate has no settings.
 */
CF_EXPORT OSStatus SecTrustSettingsCopyTrustSettings(
    SecCertificateRef certRef, SecTrustSettingsDomain domain, CFArrayRef *trustSettings);
CF_EXPORT OSStatus SecTrustSettingsCopyModificationDate(
    SecCertificateRef certRef, SecTrustSettingsDomain domain, CFDateRef *modificationDate);

/*
 * Sets what a certificate is trusted for: a dictionary, an array of dictionaries, or NULL for everything.
 *
 * If the user has a passcode, a dialog asks for it before the user's settings change. Only root may change the
 * machine's settings, and nobody may change the distribution's.
 */
CF_EXPORT OSStatus SecTrustSettingsSetTrustSettings(
    SecCertificateRef certRef, SecTrustSettingsDomain domain, CFTypeRef trustSettingsDictOrArray);
CF_EXPORT OSStatus SecTrustSettingsRemoveTrustSettings(SecCertificateRef certRef, SecTrustSettingsDomain domain);

/* Copies all settings of a domain as a property list, and replaces all of them with such a list. */
CF_EXPORT OSStatus SecTrustSettingsCreateExternalRepresentation(SecTrustSettingsDomain domain, CFDataRef *trustSettings);
CF_EXPORT OSStatus SecTrustSettingsImportExternalRepresentation(SecTrustSettingsDomain domain, CFDataRef trustSettings);

CF_EXTERN_C_END

#endif
