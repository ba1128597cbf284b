/// The secret of a row as it is stored: sealed under a row key that is itself wrapped by a class key.
struct SealedSecret: Equatable, Sendable {
    var classKeyID: UInt32
    var rowKey: [UInt8]
    var sealed: [UInt8]
}
