/// What may become of a private key in the keychain. The numbers are in files.
///
/// It is part of what secret and row key are sealed for, so that nobody makes a key exportable by calling it so.
package enum PrivateKeyUse: UInt8, CaseIterable, CBORValue, Sendable {
    /// It is calculated with, and never leaves the daemons.
    case useOnly = 1
    /// It is calculated with, and its bytes are given to whoever may use it and asks for them.
    case exportable = 2
    /// It was made in the key custodian, which alone calculates with it.
    case enclave = 3
    /// The same, and it is in no row: its program keeps it, sealed.
    case detached = 4

    /// Whether the key custodian alone calculates with it.
    package var isOfEnclave: Bool { self == .enclave || self == .detached }
}
