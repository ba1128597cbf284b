/* For what certificates are trusted, as the user and the administrator have set it. */
#ifndef CHATELAINE_SECTRUSTSETTINGS_H
#define CHATELAINE_SECTRUSTSETTINGS_H

#include <CoreFoundation/CFArray.h>
#include <CoreFoundation/CFDate.h>
#include <CoreFoundation/CFString.h>
#include <Security/SecBase.h>
#include <Security/SecTrustSettingsConstants.h>

CF_EXTERN_C_BEGIN

/*
 * Keys of a dictionary of settings: a SecPolicyRef; a host name or e-mail address; a SecTrustedApplicationRef, which stands for the program at
 * its path; numbers of SecTrustSettingsKeyUsage, of a status that does not count against the certificate, and of SecTrustSettingsResult. Without
 * a result the certificate is a trusted root.
 */
#define kSecTrustSettingsPolicy CFSTR("kSecTrustSettingsPolicy")
#define kSecTrustSettingsPolicyString CFSTR("kSecTrustSettingsPolicyString")
#define kSecTrustSettingsApplication CFSTR("kSecTrustSettingsApplication")
#define kSecTrustSettingsKeyUsage CFSTR("kSecTrustSettingsKeyUsage")
#define kSecTrustSettingsAllowedError CFSTR("kSecTrustSettingsAllowedError")
#define kSecTrustSettingsResult CFSTR("kSecTrustSettingsResult")

/* For which uses of a key a setting counts. */
typedef UInt32 SecTrustSettingsKeyUsage;
enum {
    kSecTrustSettingsKeyUseSignature = 1,
    kSecTrustSettingsKeyUseEnDecryptData = 2,
    kSecTrustSettingsKeyUseEnDecryptKey = 4,
    kSecTrustSettingsKeyUseSignCert = 8,
    kSecTrustSettingsKeyUseSignRevocation = 16,
    kSecTrustSettingsKeyUseKeyExchange = 32
};
/* By itself: it is no int, and would make its neighbours as large. */
__extension__ enum { kSecTrustSettingsKeyUseAny = 0xffffffffu };

/* Those for which something is set; errSecNoTrustSettings where there are none. The place may be NULL. */
CF_EXPORT OSStatus SecTrustSettingsCopyCertificates(SecTrustSettingsDomain domain, CFArrayRef *certArray);

/* What is set for a certificate: an array of dictionaries, empty where it is trusted for everything. errSecItemNotFound where nothing is set. */
CF_EXPORT OSStatus SecTrustSettingsCopyTrustSettings(
    SecCertificateRef certRef, SecTrustSettingsDomain domain, CFArrayRef *trustSettings);
CF_EXPORT OSStatus SecTrustSettingsCopyModificationDate(
    SecCertificateRef certRef, SecTrustSettingsDomain domain, CFDateRef *modificationDate);

/*
 * Sets what a certificate is trusted for: a dictionary, an array of them, or NULL for everything. Where there is a passcode, a dialog asks for it
 * before anything of the user's is changed. The machine's settings are root's to make, and nobody changes the distribution's.
 */
CF_EXPORT OSStatus SecTrustSettingsSetTrustSettings(
    SecCertificateRef certRef, SecTrustSettingsDomain domain, CFTypeRef trustSettingsDictOrArray);
CF_EXPORT OSStatus SecTrustSettingsRemoveTrustSettings(SecCertificateRef certRef, SecTrustSettingsDomain domain);

/* All settings of a domain as a property list, and such a list in place of all of them. */
CF_EXPORT OSStatus SecTrustSettingsCreateExternalRepresentation(SecTrustSettingsDomain domain, CFDataRef *trustSettings);
CF_EXPORT OSStatus SecTrustSettingsImportExternalRepresentation(SecTrustSettingsDomain domain, CFDataRef trustSettings);

CF_EXTERN_C_END

#endif
