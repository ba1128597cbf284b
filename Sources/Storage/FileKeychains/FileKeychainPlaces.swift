import ChatelaineModel
import ChatelaineSystem
import StoreEngine

/// The places of the daemon's own data about file keychains; only the file itself lies where its owner has put it.
package struct FileKeychainPlaces: Sendable {
    /// The folder of check-outs, snapshots and quarantines, on the file system of the keychains.
    package let stores: String
    /// The folder of marks and header copies, for each keychain that was ever open on this machine.
    ///
    /// It lies elsewhere, so that restoring a backup of the keychains does not restore it.
    package let marks: String
    /// The identity of the file at a path outside of the daemon's folder; asks no file system that a user's program
    /// serves.
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

    /// The folder of what the work copy of a file that may only be read has beside it; it goes with the copy.
    func reading(of keychain: StoreIdentifier) -> String {
        "\(stores)/\(Hexadecimal.text(of: keychain.bytes)).reading"
    }

    func lentRecord(of keychain: StoreIdentifier) -> String {
        "\(stores)/\(Hexadecimal.text(of: keychain.bytes))\(LentRecord.suffix)"
    }

    /// The path at which a keychain is open in this process, or was last opened on this machine; nil for one that never
    /// was.
    ///
    /// The file there now may be another keychain: only the file itself says which.
    package func lastPath(of keychain: StoreIdentifier) throws(KeychainError) -> String? {
        if let path = open.path(of: keychain) { return path }
        return try RememberedHeader.read(of: keychain, self)?.path
    }

    /// Deletes all of the daemon's data about a keychain, whose store takes no more changes.
    func forget(_ keychain: StoreIdentifier) throws(KeychainError) {
        // A snapshot that is being taken ends first, and none begins after it.
        try open.withSnapshots(of: keychain) { () throws(KeychainError) in
            try StorePlaces(store: store(of: keychain), mark: mark(of: keychain)).removeAll()
        }
        try StoreFolder.removeAll(header(of: keychain))
        try StoreFolder.removeAll(reading(of: keychain))
        try LentRecord.remove(of: keychain, self)
    }
}

/// The keychains that are open in this process.
///
/// Only one of several copies of a keychain can be open at a time, since they share one folder and one mark.
final class OpenKeychains: Sendable {
    /// The lock for operations on the snapshots of one keychain.
    private final class Turn: Sendable {
        let lock = AdaptiveMutex<Void>(())
    }

    private let turns = AdaptiveMutex<[StoreIdentifier: (turn: Turn, uses: Int)]>([:])
    private let paths = AdaptiveMutex<[StoreIdentifier: String]>([:])

    /// Records that a keychain is open; throws `errSecNotAvailable` where another copy of it is open.
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

    /// Runs an operation on the snapshots of a keychain, one at a time; a restoration is one.
    ///
    /// The remains of a snapshot that a lock has aborted are cleared away before the next opening begins another.
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
