import ChatelaineModel
import ChatelaineSystem
import StoreEngine

/// Where our own part of file keychains lies: nothing but the file itself stands where its owner has put it.
package struct FileKeychainPlaces: Sendable {
    /// A folder for each keychain that is open, and beside it snapshots and what was set aside; on the file system of the keychains.
    package let stores: String
    /// A mark and a copy of the header for each keychain that was ever open on this machine; elsewhere, so that it does not go back with what is put back.
    package let marks: String
    /// Which file stands at a path outside of our folder; asks no file system that a user's program serves.
    package let look: @Sendable (String) throws(KeychainError) -> FileIdentity?
    let open = OpenKeychains()
    static let suffix = ".header"

    package init(
        stores: String, marks: String,
        look: @escaping @Sendable (String) throws(KeychainError) -> FileIdentity? = KeychainFile.identity
    ) {
        self.stores = stores
        self.marks = marks
        self.look = look
    }

    func store(of keychain: StoreIdentifier) -> String { "\(stores)/\(Hexadecimal.text(of: keychain.bytes))" }
    func mark(of keychain: StoreIdentifier) -> String { "\(marks)/\(Hexadecimal.text(of: keychain.bytes)).mark" }
    func header(of keychain: StoreIdentifier) -> String {
        "\(marks)/\(Hexadecimal.text(of: keychain.bytes))\(Self.suffix)"
    }

    func lentRecord(of keychain: StoreIdentifier) -> String {
        "\(stores)/\(Hexadecimal.text(of: keychain.bytes))\(LentRecord.suffix)"
    }

    /// Where that keychain is open in this process, or else where it was when it was last opened on this machine; nil for one that never was.
    ///
    /// What stands there now has to say for itself which keychain it is.
    package func lastPath(of keychain: StoreIdentifier) throws(KeychainError) -> String? {
        if let path = open.path(of: keychain) { return path }
        return try RememberedHeader.read(of: keychain, self)?.path
    }

    /// Deletes all that we have of a keychain, whose store takes no more changes.
    func forget(_ keychain: StoreIdentifier) throws(KeychainError) {
        // A snapshot that is being taken comes to an end first, and none begins after it.
        try open.withSnapshots(of: keychain) { () throws(KeychainError) in
            try StorePlaces(store: store(of: keychain), mark: mark(of: keychain)).removeAll()
        }
        try StoreFolder.removeAll(header(of: keychain))
        try LentRecord.remove(of: keychain, self)
    }
}

/// Which keychains are open in this process: of several copies of one, one at a time, since they have one folder and one mark.
final class OpenKeychains: Sendable {
    /// Held by who does something with the snapshots of one keychain.
    private final class Turn: Sendable {
        let lock = AdaptiveMutex<Void>(())
    }

    private let turns = AdaptiveMutex<[StoreIdentifier: (turn: Turn, uses: Int)]>([:])
    private let paths = AdaptiveMutex<[StoreIdentifier: String]>([:])

    /// `errSecNotAvailable` where a copy of it is open.
    func begin(_ keychain: StoreIdentifier, at path: String) throws(KeychainError) {
        let other = paths.withLock { paths in
            if let other = paths[keychain] { return other }
            paths[keychain] = path
            return path
        }
        guard other == path else {
            throw KeychainError(
                .notAvailable, "\(path) is a copy of \(other), which is open; lock that before the copy is unlocked")
        }
    }

    func path(of keychain: StoreIdentifier) -> String? { paths.withLock { $0[keychain] } }

    func end(_ keychain: StoreIdentifier) { paths.withLock { $0[keychain] = nil } }

    /// Does something with the snapshots of a keychain. One at a time: what was left of a copy that a lock has ended is cleared away before
    /// the next opening begins another.
    func withSnapshots<Answer: Sendable, Failure: Error>(
        of keychain: StoreIdentifier, _ body: () throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        let turn = turns.withLock { turns in
            let (turn, uses) = turns[keychain] ?? (Turn(), 0)
            turns[keychain] = (turn, uses + 1)
            return turn
        }
        defer {
            turns.withLock { turns in
                if let uses = turns[keychain]?.uses { turns[keychain] = uses > 1 ? (turn, uses - 1) : nil }
            }
        }
        return try turn.lock.withLock { (_) throws(Failure) in try body() }
    }
}
