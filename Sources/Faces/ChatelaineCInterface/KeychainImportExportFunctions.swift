import ChatelaineModel
import Security

/// `SecKeychainItemImport` of `Security/SecImportExport.h`.
@_cdecl("SecKeychainItemImport")
public func keychainItemImport(
    _ data: UnsafeRawPointer?, _ fileNameOrExtension: UnsafeRawPointer?, _ format: UnsafeMutablePointer<UInt32>?,
    _ type: UnsafeMutablePointer<UInt32>?, _ flags: UInt32, _ parameters: UnsafeRawPointer?,
    _ keychain: UnsafeRawPointer?, _ items: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainItemImport") { () throws(KeychainError) in
        try ForeignImport.read(data, format, type, try ForeignImport.formerParameters(parameters), keychain, items)
    }
}

/// `SecKeychainItemExport` of `Security/SecImportExport.h`.
@_cdecl("SecKeychainItemExport")
public func keychainItemExport(
    _ itemOrArray: UnsafeRawPointer?, _ format: UInt32, _ flags: UInt32, _ parameters: UnsafeRawPointer?,
    _ exported: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecKeychainItemExport") { () throws(KeychainError) in
        try ForeignImport.write(itemOrArray, format, flags, try ForeignImport.formerParameters(parameters), exported)
    }
}

extension ForeignImport {
    /// `SecKeyImportExportParameters` of the header, as far as it is read.
    private struct FormerKeyParameters {
        let version: UInt32
        let flags: UInt32
        let passphrase: UnsafeRawPointer?
        let alertTitle: UnsafeRawPointer?
        let alertPrompt: UnsafeRawPointer?
        let access: UnsafeRawPointer?
        let keyUsage: UInt32
        let keyAttributes: UInt32
    }

    fileprivate static func formerParameters(
        _ given: UnsafeRawPointer?
    ) throws(KeychainError) -> ImportExportCalls.KeyParameters {
        guard let given else { return ImportExportCalls.KeyParameters() }
        // SAFETY: the caller's structure has these, in that layout.
        let parameters = given.assumingMemoryBound(to: FormerKeyParameters.self).pointee
        return try ImportExportCalls.KeyParameters(
            version: parameters.version, flags: SecKeyImportExportFlags(rawValue: parameters.flags),
            passphrase: parameters.passphrase.map { ForeignValue.meaning(of: $0, isSecret: true) },
            words: [parameters.alertTitle, parameters.alertPrompt].map { words in
                words.map { ForeignValue.meaning(of: $0) }
            },
            access: try parameters.access.map { (object) throws(KeychainError) in
                let access: SecAccess = try ForeignObject.content(object, .access)
                return access.object
            }, keyUsage: parameters.keyUsage, keyAttributes: parameters.keyAttributes)
    }
}
