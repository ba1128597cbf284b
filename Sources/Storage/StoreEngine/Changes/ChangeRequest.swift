import ChatelaineModel

/// What makes a change happen exactly once: a name that stands for who asks under which random number, and for what.
///
/// A request that comes again, because its answer was lost with a connection, gets the answer of the first time.
package struct ChangeRequest: Hashable, Sendable {
    package static let nameByteCount = 32
    package static let digestByteCount = 32
    /// Of each of the two parts of a name in format 2: a digest of the caller, and the number that the client chose.
    package static let formerPartByteCount = 16

    /// A keyed digest of the caller and the random number that the client chose for this one change: nobody without the key
    /// can tell whether two changes are of one caller.
    package let name: [UInt8]
    /// The name under which a store of format 2 kept the answer, for a request that comes again after an upgrade.
    package let formerName: [UInt8]?
    /// A digest of the whole request, so that a number used twice is noticed.
    package let digest: [UInt8]

    /// `errSecParam` unless the parts have their lengths.
    package init(name: [UInt8], formerName: [UInt8]? = nil, digest: [UInt8]) throws(KeychainError) {
        guard name.count == Self.nameByteCount, digest.count == Self.digestByteCount,
            formerName.map({ $0.count == 2 * Self.formerPartByteCount }) ?? true
        else { throw KeychainError(.param, "a change request has a name or a digest of a wrong length") }
        self.name = name
        self.formerName = formerName
        self.digest = digest
    }
}

/// What a change was answered when it was made.
package struct FirstAnswer: Sendable {
    package let status: Status
    /// The identifier of the row that an addition made.
    package let row: Bytes16?
}

/// How an attempt at a change ended.
package enum Attempt: Sendable {
    case done
    /// This very request has been answered before.
    case answered(FirstAnswer)
    /// What was prepared no longer fits.
    case outdated
    /// Another row has the unique digest that this one should get.
    case conflict(uniqueDigest: [UInt8])
}
