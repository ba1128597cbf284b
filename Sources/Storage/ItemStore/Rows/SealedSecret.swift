/// The secret of a row as it is stored: sealed under a row key that is itself wrapped by a class key.
struct SealedSecret: Equatable, Sendable {
    /// As it stands in the file, which may hold a number that no key ever has.
    var classKey: Int64
    var rowKey: [UInt8]
    var sealed: [UInt8]

    /// Nil for a number that no key ever has.
    var classKeyID: UInt32? { UInt32(exactly: classKey) }
}
