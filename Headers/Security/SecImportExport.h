/*
 * Files of keys and certificates, read and written in memory: PKCS#12, PKCS#8, PKCS#7, PEM, X.509, and keys of OpenSSL
 * and OpenSSH. A separate process parses them.
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

/* Options of an import or export: the file is text. */
typedef uint32_t SecItemImportExportFlags;
enum { kSecItemPemArmour = 1 };

/* Options for the import of keys. No dialog asks for a passphrase here. Keys in memory have no access control. */
typedef uint32_t SecKeyImportExportFlags;
enum { kSecKeyImportOnlyOne = 1, kSecKeySecurePassphrase = 2, kSecKeyNoAccessControl = 4 };

enum { SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION = 0 };

/*
 * Parameters for the import and export of keys. The passphrase is a CFString or CFData; the fields after it may be
 * NULL.
 *
 * For keys that are stored in a keychain, accessRef says who may use them. keyUsage has kSecAttrCanSign and its like,
 * which become attributes of the keys, and limit no use. If keyAttributes lacks kSecAttrIsExtractable, the bytes of the
 * keys never leave the keychain.
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

/*
 * The parameters of the older calls. keyUsage has bits of CSSM_KEYUSE, and is 0 for all uses. keyAttributes is 0 for
 * the default; any other value without 0x20 (extractable) keeps the bytes in the keychain.
 */
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
 * Reads the identities of a PKCS#12 file: a dictionary for each, with the kSecImportItem constants as keys.
 *
 * The options have kSecImportExportPassphrase. Without kSecImportToMemoryOnly the call stores all of them in the data
 * protection keychain, or in the file keychain under kSecImportExportKeychain. A SecAccessRef under
 * kSecImportExportAccess then says who may use the keys of that file keychain.
 */
CF_EXPORT OSStatus SecPKCS12Import(CFDataRef pkcs12_data, CFDictionaryRef options, CFArrayRef *items);

/*
 * Recognizes the format of a file, and reads it.
 *
 * Format and type have what the file must be, and receive what it was; each pointer but the first may be NULL. If a
 * keychain is given, the call stores all items in it. A certificate that exists stays as it is; a key that exists is
 * errSecDuplicateItem.
 */
CF_EXPORT OSStatus SecItemImport(
    CFDataRef importedData, CFStringRef fileNameOrExtension, SecExternalFormat *inputFormat, SecExternalItemType *itemType,
    SecItemImportExportFlags flags, const SecItemImportExportKeyParameters *keyParams, SecKeychainRef importKeychain,
    CFArrayRef *outItems);

/* Writes a certificate, key or identity, or an array of them. */
CF_EXPORT OSStatus SecItemExport(
    CFTypeRef secItemOrArray, SecExternalFormat outputFormat, SecItemImportExportFlags flags,
    const SecItemImportExportKeyParameters *keyParams, CFDataRef *exportedData);

/* The older calls for import and export. */
CF_EXPORT OSStatus SecKeychainItemImport(
    CFDataRef importedData, CFStringRef fileNameOrExtension, SecExternalFormat *inputFormat, SecExternalItemType *itemType,
    SecItemImportExportFlags flags, const SecKeyImportExportParameters *keyParams, SecKeychainRef importKeychain,
    CFArrayRef *outItems);
CF_EXPORT OSStatus SecKeychainItemExport(
    CFTypeRef keychainItemOrArray, SecExternalFormat outputFormat, SecItemImportExportFlags flags,
    const SecKeyImportExportParameters *keyParams, CFDataRef *exportedData);

CF_EXTERN_C_END

#endif
