import CoreFoundation
import Foundation

/// The only version of ``SecItemImportExportKeyParameters``.
public var SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION: Int32 { 0 }

/// Flags for importing and exporting files.
public struct SecItemImportExportFlags: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Writes the file as text (PEM).
    public static var pemArmour: SecItemImportExportFlags { .init(rawValue: 1) }
}

/// Flags for importing keys.
public struct SecKeyImportExportFlags: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Fails for a file with more than one private key.
    public static var importOnlyOne: SecKeyImportExportFlags { .init(rawValue: 1) }
    /// A dialog asks for a needed passphrase that was not given: once for a file's, twice for a new one.
    ///
    /// The program does not see the passphrase.
    public static var securePassphrase: SecKeyImportExportFlags { .init(rawValue: 2) }
    /// Any program may use the keys that are imported into a keychain; in memory the flag has no effect.
    public static var noAccessControl: SecKeyImportExportFlags { .init(rawValue: 4) }
}

/// The parameters for keys that are imported or exported.
public struct SecItemImportExportKeyParameters {
    /// ``SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION``
    public var version: UInt32
    public var flags: SecKeyImportExportFlags
    /// The passphrase, a string or data.
    public var passphrase: Unmanaged<CFTypeRef>?
    /// The program's title for the dialog that asks for the passphrase.
    public var alertTitle: Unmanaged<CFString>?
    public var alertPrompt: Unmanaged<CFString>?
    /// The access object of keys that are stored in a keychain.
    public var accessRef: Unmanaged<SecAccess>?
    /// What stored keys are meant for: `kSecAttrCanSign` and its like; nil for all that their kind supports.
    ///
    /// Searches see it as these attributes, and it limits no use.
    public var keyUsage: Unmanaged<CFArray>?
    /// The attributes of stored keys; nil for the default, which allows export.
    ///
    /// A key without `kSecAttrIsExtractable` never leaves the keychain.
    public var keyAttributes: Unmanaged<CFArray>?

    public init() {
        self.init(
            version: 0, flags: [], passphrase: nil, alertTitle: nil, alertPrompt: nil, accessRef: nil, keyUsage: nil,
            keyAttributes: nil)
    }

    public init(
        version: UInt32, flags: SecKeyImportExportFlags, passphrase: Unmanaged<CFTypeRef>?,
        alertTitle: Unmanaged<CFString>?, alertPrompt: Unmanaged<CFString>?, accessRef: Unmanaged<SecAccess>?,
        keyUsage: Unmanaged<CFArray>?, keyAttributes: Unmanaged<CFArray>?
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
