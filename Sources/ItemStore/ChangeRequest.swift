import ChatelaineModel

/// What makes a change happen exactly once: who asks, under which random number, for what.
///
/// A request that comes again, because its answer was lost with a connection, gets the answer of the first time.
public struct ChangeRequest: Hashable, Sendable {
    public static let callerByteCount = 16
    public static let identifierByteCount = 16
    public static let digestByteCount = 32

    /// A digest of the caller's identity.
    public let caller: [UInt8]
    /// The random number that the client chose for this one change.
    public let identifier: [UInt8]
    /// A digest of the whole request, so that a number used twice is noticed.
    public let digest: [UInt8]

    /// `errSecParam` unless the parts have their lengths.
    public init(caller: [UInt8], identifier: [UInt8], digest: [UInt8]) throws(KeychainError) {
        guard caller.count == Self.callerByteCount, identifier.count == Self.identifierByteCount,
            digest.count == Self.digestByteCount
        else { throw KeychainError(.param, "a change request has an identifier or a digest of a wrong length") }
        self.caller = caller
        self.identifier = identifier
        self.digest = digest
    }
}
