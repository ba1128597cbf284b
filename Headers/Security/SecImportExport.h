/*
 * Files of keys and certificates, read and written in memory: PKCS#12, PKCS#8, PKCS#7, PEM, X.509, and keys of OpenSSL and OpenSSH.
 * A process of its own reads them.
 */
#ifndef CHATELAINE_SECIMPORTEXPORT_H
#define CHATELAINE_SECIMPORTEXPORT_H

#include <CoreFoundation/CFArray.h>
#include <CoreFoundation/CFData.h>
#include <CoreFoundation/CFDictionary.h>
#include <Security/SecBase.h>
#include <Security/SecImportExportConstants.h>
#include <Security/cssmtype.h>

CF_EXTERN_C_BEGIN

/* How a file is imported and exported: as text. */
typedef uint32_t SecItemImportExportFlags;
enum { kSecItemPemArmour = 1 };

/* How keys are imported. No dialog asks for a passphrase here; access control means nothing in memory. */
typedef uint32_t SecKeyImportExportFlags;
enum { kSecKeyImportOnlyOne = 1, kSecKeySecurePassphrase = 2, kSecKeyNoAccessControl = 4 };

enum { SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION = 0 };

/*
 * What goes with keys. The passphrase is a CFString or CFData. What comes behind it may be NULL. Of keys that are stored in a keychain, accessRef says
 * who may use them, and keyAttributes without kSecAttrIsExtractable that their bytes never leave it; the others mean nothing.
 */
typedef struct SecItemImportExportKeyParameters {
    uint32_t version;
    SecKeyImportExportFlags flags;
    CFTypeRef passphrase;
    CFStringRef alertTitle;
    CFStringRef alertPrompt;
    SecAccessRef accessRef;
    CFArrayRef keyUsage;
    CFArrayRef keyAttributes;
} SecItemImportExportKeyParameters;

/* The same for the calls of old; keyAttributes is 0 for the default, and without 0x20 (extractable) the bytes never leave the keychain. */
typedef struct {
    uint32_t version;
    SecKeyImportExportFlags flags;
    CFTypeRef passphrase;
    CFStringRef alertTitle;
    CFStringRef alertPrompt;
    SecAccessRef accessRef;
    CSSM_KEYUSE keyUsage;
    CSSM_KEYATTR_FLAGS keyAttributes;
} SecKeyImportExportParameters;

/*
 * Reads the identities of a PKCS#12 file: a dictionary for each, with the kSecImportItem constants as keys. The options have
 * kSecImportExportPassphrase, and kSecImportToMemoryOnly, without which all is stored: in the data protection keychain, or in the file keychain under
 * kSecImportExportKeychain, where a SecAccessRef under kSecImportExportAccess says who may use the keys.
 */
CF_EXPORT OSStatus SecPKCS12Import(CFDataRef pkcs12_data, CFDictionaryRef options, CFArrayRef *items);

/*
 * Finds out what a file is, and reads it. Format and type say what it has to be, and then what it was; each pointer but the first may be
 * NULL. All of it is stored in the keychain, where one is given: a certificate that is there stays, a key that is there is errSecDuplicateItem.
 */
CF_EXPORT OSStatus SecItemImport(
    CFDataRef importedData, CFStringRef fileNameOrExtension, SecExternalFormat *inputFormat, SecExternalItemType *itemType,
    SecItemImportExportFlags flags, const SecItemImportExportKeyParameters *keyParams, SecKeychainRef importKeychain,
    CFArrayRef *outItems);

/* Writes a certificate, key or identity, or an array of them. */
CF_EXPORT OSStatus SecItemExport(
    CFTypeRef secItemOrArray, SecExternalFormat outputFormat, SecItemImportExportFlags flags,
    const SecItemImportExportKeyParameters *keyParams, CFDataRef *exportedData);

/* The same by the calls of old. */
CF_EXPORT OSStatus SecKeychainItemImport(
    CFDataRef importedData, CFStringRef fileNameOrExtension, SecExternalFormat *inputFormat, SecExternalItemType *itemType,
    SecItemImportExportFlags flags, const SecKeyImportExportParameters *keyParams, SecKeychainRef importKeychain,
    CFArrayRef *outItems);
CF_EXPORT OSStatus SecKeychainItemExport(
    CFTypeRef keychainItemOrArray, SecExternalFormat outputFormat, SecItemImportExportFlags flags,
    const SecKeyImportExportParameters *keyParams, CFDataRef *exportedData);

CF_EXTERN_C_END

#endif
