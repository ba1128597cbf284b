import ChatelaineModel
import CoreFoundation
import Foundation

/// The parameters for keys in the older calls; see ``SecItemImportExportKeyParameters``.
public struct SecKeyImportExportParameters {
    /// ``SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION``
    public var version: UInt32
    public var flags: SecKeyImportExportFlags
    /// The passphrase, a string or data.
    public var passphrase: Unmanaged<CFTypeRef>?
    /// The program's title for the dialog that asks for the passphrase.
    public var alertTitle: Unmanaged<CFString>
    public var alertPrompt: Unmanaged<CFString>
    /// The access object of keys that are stored in a keychain.
    public var accessRef: Unmanaged<SecAccess>?
    /// What stored keys are meant for, which searches see and which limits no use; 0 for all that their kind supports.
    public var keyUsage: CSSM_KEYUSE
    /// The attributes of stored keys; 0 for the default.
    ///
    /// A key without 0x20, extractable, never leaves the keychain.
    public var keyAttributes: CSSM_KEYATTR_FLAGS

    public init(
        version: UInt32, flags: SecKeyImportExportFlags, passphrase: Unmanaged<CFTypeRef>?,
        alertTitle: Unmanaged<CFString>, alertPrompt: Unmanaged<CFString>, accessRef: Unmanaged<SecAccess>?,
        keyUsage: CSSM_KEYUSE, keyAttributes: CSSM_KEYATTR_FLAGS
    ) {
        self.version = version
        self.flags = flags
        self.passphrase = passphrase
        self.alertTitle = alertTitle
        self.alertPrompt = alertPrompt
        self.accessRef = accessRef
        self.keyUsage = keyUsage
        self.keyAttributes = keyAttributes
    }
}

/// The older name of ``SecItemImport(_:_:_:_:_:_:_:_:)``.
@discardableResult
public func SecKeychainItemImport(
    _ importedData: CFData, _ fileNameOrExtension: CFString?, _ inputFormat: UnsafeMutablePointer<SecExternalFormat>?,
    _ itemType: UnsafeMutablePointer<SecExternalItemType>?, _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecKeyImportExportParameters>?, _ importKeychain: SecKeychain?,
    _ outItems: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
    CallStatus.of("SecKeychainItemImport") { () throws(KeychainError) in
        try ImportExportCalls.read(
            importedData, inputFormat, itemType, try ImportExportCalls.KeyParameters(keyParams), importKeychain,
            outItems)
    }
}

/// The older name of ``SecItemExport(_:_:_:_:_:)``.
@discardableResult
public func SecKeychainItemExport(
    _ keychainItemOrArray: CFTypeRef, _ outputFormat: SecExternalFormat, _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecKeyImportExportParameters>?, _ exportedData: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    CallStatus.of("SecKeychainItemExport") { () throws(KeychainError) in
        exportedData.pointee = try ImportExportCalls.write(
            keychainItemOrArray, outputFormat, flags, try ImportExportCalls.KeyParameters(keyParams))
    }
}

extension ImportExportCalls.KeyParameters {
    fileprivate init(_ given: UnsafePointer<SecKeyImportExportParameters>?) throws(KeychainError) {
        guard let given = given?.pointee else {
            self.init()
            return
        }
        // SAFETY: the caller keeps the objects for as long as the call.
        let passphrase = given.passphrase.map { QueryDictionary.value($0.takeUnretainedValue(), isSecret: true) }
        try self.init(
            version: given.version, flags: given.flags, passphrase: passphrase,
            words: [given.alertTitle, given.alertPrompt].map { words in
                QueryDictionary.value(words.takeUnretainedValue(), isSecret: false)
            },
            access: given.accessRef?.takeUnretainedValue().object, keyUsage: given.keyUsage,
            keyAttributes: given.keyAttributes)
    }
}
