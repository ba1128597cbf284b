import ChatelaineIPC
import ChatelaineModel
import Foundation

/// Reads the identities of a PKCS#12 file.
///
/// - Parameters:
///   - options: ``kSecImportExportPassphrase`` and others. By default the identities and the certificates above them
///     are stored in the data protection keychain. ``kSecImportExportKeychain`` names a file keychain instead, and
///     ``kSecImportExportAccess`` the access object of its keys. With ``kSecImportToMemoryOnly`` nothing is stored.
///     All other options are attributes of the items. Existing items stay as they are.
///   - items: receives a dictionary for each private key that has its certificate: ``kSecImportItemIdentity``,
///     ``kSecImportItemCertChain``, ``kSecImportItemTrust`` (of the chain, not evaluated yet),
///     ``kSecImportItemKeyID`` and, where the file names it, ``kSecImportItemLabel``.
/// - Returns: `errSecAuthFailed` for a wrong passphrase, `errSecPassphraseRequired` without one, and `errSecDecode`
///   for a damaged file.
@discardableResult
public func SecPKCS12Import(
    _ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    CallStatus.of("SecPKCS12Import") { () throws(KeychainError) in
        let identities = try PKCS12Calls.read(
            QueryDictionary.value(pkcs12_data, isSecret: true), try QueryDictionary.pairs(of: options))
        var dictionaries: [NSDictionary] = []
        for identity in identities { dictionaries.append(try identity.dictionary()) }
        items.pointee = NSArray(array: dictionaries)
    }
}

/// Detects the format of a file of keys and certificates, and reads it.
///
/// - Parameters:
///   - fileNameOrExtension: ignored; the content tells the format.
///   - inputFormat, itemType: the expected format and type; receive the detected ones. May be nil.
///   - keyParams: the passphrase, or ``SecKeyImportExportFlags/securePassphrase`` to ask a person for it. For stored
///     keys also their access object, what they are meant for, and whether they may be exported. May be nil.
///   - importKeychain: the file keychain that stores all items; nil to store nothing.
///   - outItems: receives certificates and keys; for PKCS#12 identities first, then the remaining items. May be nil.
/// - Returns: `errSecUnknownFormat`, `errSecDecode`, `errSecPassphraseRequired`, `errSecAuthFailed`,
///   `errSecUnsupportedFormat` or `errSecMultiplePrivKeys`, depending on the file. `errSecDuplicateItem` for a key
///   that is already in the keychain, and `errSecInteractionNotAllowed` where nobody can be asked for the passphrase.
@discardableResult
public func SecItemImport(
    _ importedData: CFData, _ fileNameOrExtension: CFString?, _ inputFormat: UnsafeMutablePointer<SecExternalFormat>?,
    _ itemType: UnsafeMutablePointer<SecExternalItemType>?, _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecItemImportExportKeyParameters>?, _ importKeychain: SecKeychain?,
    _ outItems: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
    CallStatus.of("SecItemImport") { () throws(KeychainError) in
        try ImportExportCalls.read(
            importedData, inputFormat, itemType, try ImportExportCalls.KeyParameters(keyParams), importKeychain,
            outItems)
    }
}

/// Writes certificates, keys and identities as a file.
///
/// - Parameters:
///   - secItemOrArray: a certificate, key or identity, or an array of these.
///   - outputFormat: the format; `formatUnknown` means X.509 for a certificate, OpenSSL's form for a key, and several
///     PEM blocks for several objects.
///   - keyParams: the passphrase, which the encrypting formats require. With
///     ``SecKeyImportExportFlags/securePassphrase`` a person is asked for it, twice. Under a passphrase,
///     `formatUnknown` and `formatPEMSequence` write private keys as encrypted PKCS#8.
/// - Returns: `errSecParam` for objects that the format cannot hold, `errSecPassphraseRequired`,
///   `errSecUnsupportedFormat`.
@discardableResult
public func SecItemExport(
    _ secItemOrArray: CFTypeRef, _ outputFormat: SecExternalFormat, _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecItemImportExportKeyParameters>?, _ exportedData: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    CallStatus.of("SecItemExport") { () throws(KeychainError) in
        exportedData.pointee = try ImportExportCalls.write(
            secItemOrArray, outputFormat, flags, try ImportExportCalls.KeyParameters(keyParams))
    }
}

/// The part that the newer and the older calls share.
extension ImportExportCalls {
    static func read(
        _ data: CFData, _ inputFormat: UnsafeMutablePointer<SecExternalFormat>?,
        _ itemType: UnsafeMutablePointer<SecExternalItemType>?, _ parameters: KeyParameters,
        _ keychain: SecKeychain?, _ items: UnsafeMutablePointer<CFArray?>?
    ) throws(KeychainError) {
        let imported = try read(
            QueryDictionary.value(data, isSecret: true), format: inputFormat?.pointee.rawValue,
            kind: itemType?.pointee.rawValue, parameters, into: keychain)
        if let inputFormat, let format = SecExternalFormat(rawValue: UInt32(imported.format.rawValue)) {
            inputFormat.pointee = format
        }
        if let itemType, let type = SecExternalItemType(rawValue: UInt32(imported.kind.rawValue)) {
            itemType.pointee = type
        }
        items?.pointee = NSArray(array: imported.things.map(\.object))
    }

    static func write(
        _ itemOrArray: CFTypeRef, _ format: SecExternalFormat, _ flags: SecItemImportExportFlags,
        _ parameters: KeyParameters
    ) throws(KeychainError) -> CFData? {
        let objects = (itemOrArray as? NSArray).map { array in
            (0..<array.count).map { array.storedObject(at: $0) }
        }
        var things: [ImportedThing] = []
        for object in objects ?? [itemOrArray] { things.append(try ImportedThing(object)) }
        return ResultObject.make(try write(things, format: format.rawValue, flags, parameters)) as? NSData
    }
}

extension ImportExportCalls.KeyParameters {
    fileprivate init(_ given: UnsafePointer<SecItemImportExportKeyParameters>?) throws(KeychainError) {
        guard let given = given?.pointee else {
            self.init()
            return
        }
        // SAFETY: the caller keeps the object for as long as the call.
        let passphrase = given.passphrase.map { QueryDictionary.value($0.takeUnretainedValue(), isSecret: true) }
        let usage = given.keyUsage.map { QueryDictionary.value($0.takeUnretainedValue(), isSecret: false) }
        let attributes = given.keyAttributes.map { QueryDictionary.value($0.takeUnretainedValue(), isSecret: false) }
        try self.init(
            version: given.version, flags: given.flags, passphrase: passphrase,
            words: [given.alertTitle, given.alertPrompt].map { words in
                words.map { QueryDictionary.value($0.takeUnretainedValue(), isSecret: false) }
            },
            access: given.accessRef?.takeUnretainedValue().object, usage: usage, attributes: attributes)
    }
}

extension ImportedIdentity {
    fileprivate func dictionary() throws(KeychainError) -> NSDictionary {
        let dictionary = NSMutableDictionary()
        dictionary.setObject(identity, forKey: kSecImportItemIdentity)
        dictionary.setObject(NSArray(array: chain), forKey: kSecImportItemCertChain)
        dictionary.setObject(try trust(), forKey: kSecImportItemTrust)
        dictionary.setObject(ResultObject.make(.data(keyID)), forKey: kSecImportItemKeyID)
        if let label { dictionary.setObject(NSString(string: label), forKey: kSecImportItemLabel) }
        return dictionary
    }
}
