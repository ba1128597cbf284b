/// Who uses a private or symmetric key of the keychain, and whether its bytes may leave the daemons.
///
/// The numbers are in files.
///
/// The seals of secret and row key include it, so that no one makes a key exportable by changing the row.
package enum KeyCustody: UInt8, CaseIterable, CBORValue, Sendable {
    /// Callers use the key, and its bytes never leave the daemons.
    case useOnly = 1
    /// Callers use the key, and a caller that may use it can have its bytes.
    case exportable = 2
    /// The key custodian made the key, and only the custodian uses it.
    case enclave = 3
    /// As ``enclave``, but in no row: the program keeps the sealed key.
    case detached = 4
    /// As ``useOnly``, of a symmetric key.
    ///
    /// It is a case of its own, so that the seal tells which operations the constraints on the key are about.
    case symmetric = 5

    /// Whether only the key custodian uses the key.
    package var isOfEnclave: Bool { self == .enclave || self == .detached }

    /// The operation that the constraints of a key have to allow before its item is changed.
    ///
    /// Whoever may calculate with a key may change its item. Constraints on symmetric keys are those of passwords, so
    /// that one access control serves keys whose bytes callers get and others.
    package var changing: AccessConstraints.Operation { self == .symmetric ? .decrypt : .sign }
}
