import CoreFoundation
import Foundation

/// The version of ``SecItemImportExportKeyParameters``.
public var SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION: Int32 { 0 }

/// How a file is imported and exported.
public struct SecItemImportExportFlags: OptionSet, @unchecked Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// As text: PEM.
    public static var pemArmour: SecItemImportExportFlags { .init(rawValue: 1) }
}

/// How keys are imported.
public struct SecKeyImportExportFlags: OptionSet, @unchecked Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Fails where there is more than one private key.
    public static var importOnlyOne: SecKeyImportExportFlags { .init(rawValue: 1) }
    /// A dialog asks for a passphrase that is needed and was not given: for that of a file, or for a new one, twice. The program does not see it.
    public static var securePassphrase: SecKeyImportExportFlags { .init(rawValue: 2) }
    /// Everybody may use what is imported into a keychain; in memory it means nothing.
    public static var noAccessControl: SecKeyImportExportFlags { .init(rawValue: 4) }
}

/// What goes with keys that are imported or exported.
public struct SecItemImportExportKeyParameters {
    /// ``SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION``
    public var version: UInt32
    public var flags: SecKeyImportExportFlags
    /// A string or data.
    public var passphrase: Unmanaged<CFTypeRef>?
    /// What the program says in a dialog that asks for the passphrase.
    public var alertTitle: Unmanaged<CFString>?
    public var alertPrompt: Unmanaged<CFString>?
    /// Who may use keys that are stored in a keychain.
    public var accessRef: Unmanaged<SecAccess>?
    /// Not used: a key here is for all that its kind can do.
    public var keyUsage: Unmanaged<CFArray>?
    /// Of keys that are stored: one without `kSecAttrIsExtractable` never leaves the keychain. Nil for the default, with which it may.
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
