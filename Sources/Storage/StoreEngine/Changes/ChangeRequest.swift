import ChatelaineModel

/// The identity of a change, which makes the change happen exactly once.
///
/// Its name stands for the caller and a random number, and its digest for the contents of the request. A client repeats
/// a request whose answer was lost with a connection, and gets the answer of the first time.
package struct ChangeRequest: Hashable, Sendable {
    package static let nameByteCount = 32
    package static let digestByteCount = 32
    /// The length of each half of a name in format 2: a digest of the caller, and the number that the client chose.
    static let formerPartByteCount = 16

    /// A keyed digest of the caller and the random number that the client chose for this change.
    ///
    /// Without the key nobody can tell whether two changes come from one caller.
    package let name: [UInt8]
    /// The name under which a store of format 2 kept the answer; it serves a request that is repeated after an upgrade.
    package let formerName: [UInt8]?
    /// A digest of the whole request, which detects that a number was used for two requests.
    package let digest: [UInt8]

    /// Throws `errSecParam` for a part of a wrong length.
    package init(name: [UInt8], formerName: [UInt8]? = nil, digest: [UInt8]) throws(KeychainError) {
        guard name.count == Self.nameByteCount, digest.count == Self.digestByteCount,
            formerName.map({ $0.count == 2 * Self.formerPartByteCount }) ?? true
        else { throw KeychainError(.param, "a change request has a name or a digest of a wrong length") }
        self.name = name
        self.formerName = formerName
        self.digest = digest
    }
}

/// The answer that a change got when it was made.
package struct FirstAnswer: Sendable {
    package let status: Status
    /// The identifier of the row that an addition made.
    package let row: Bytes16?
}

/// How an attempt at a change ended.
package enum Attempt: Sendable {
    case done
    /// The change can be made; it was tried, and is to be taken back.
    case rehearsed
    /// The same request was answered before.
    case answered(FirstAnswer)
    /// The prepared change no longer fits the rows.
    case outdated
    /// Another row has the unique digest that this one should get.
    case conflict(uniqueDigest: [UInt8])
}
