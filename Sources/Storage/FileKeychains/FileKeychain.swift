import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import ItemStore
import Sealing
import StoreEngine
import SystemCalls

/// A keychain in one file, with a password of its own.
///
/// **Locked**, it is a plain file that can be copied, moved and mailed: nothing lies beside it. Names and other
/// attributes can be read, and are unproven (``UnverifiedKeychain``). **Unlocked**, the file has a second name in one
/// of the daemon's folders (``FileCheckOut``). ``ItemStore`` works there as for any keychain: log, mark, snapshots and
/// quarantine lie there.
///
/// **Identity.** The keychain is the file at its path. Where another file stands there, or none, the open store is no
/// longer used, and kept.
///
/// **Keys** belong to the custodian. The caller of an unlock has the custodian check the password, and tells this class
/// the result. The header, which the password opens, is one of the properties of the store.
///
/// All members may be called from any thread. Unlocking and locking wait for each other; no search waits for either.
package final class FileKeychain: Sendable {
    /// The only access group of items in such keychains; each item's access object says who may use it.
    package static let group: AccessGroup = "keychain"
    /// How often locking tries to empty the log; each attempt waits a tenth of a second for readers.
    static let attempts = 3
    /// How often a file is read again that is exchanged meanwhile, as the machine's keychain is with each change.
    private static let readings = 16

    struct Opened: Sendable {
        /// The open store; nil where it could not be opened again.
        var store: ItemStore?
        var isDamaged = false
        let keys: FileKeySource
        let file: FileIdentity
        let checkOut: FileCheckOut
        /// The file to which the work copy is written back; nil for a keychain in the daemon's folder.
        var lent: Lending?
        /// Whether the file was copied while a daemon had it open, and nobody has acknowledged the possible loss.
        var mayLackChanges = false
    }

    /// The check-out of a file elsewhere.
    struct Lending: Sendable {
        let file: LentFile
        var record: LentRecord
        /// The work copy's descriptor, open as long as the store.
        var work: WorkFile?

        /// Whether the work copy goes as it came, so that nothing outlasts it that it has come to meanwhile.
        var isReading: Bool { file.isReadOnly && !record.isAnnounced }
    }

    struct State {
        var opened: Opened?
        /// A keychain that was locked while somebody read: its file still says that it is in use.
        var closing: Opened?
        /// The number of beginnings and ends of openings and closings; odd while one is under way.
        var moves: UInt64 = 0
    }

    /// The result of an unlock.
    package enum Unlocking: Equatable, Sendable {
        case unlocked
        case wrongPassword
    }

    package let path: String
    /// Whether the keychain lies outside of the daemon's folder, so that changes go to a work copy (``LentFile``).
    package let isElsewhere: Bool
    let places: FileKeychainPlaces
    let keys: any StoreKeySource
    let clock: StoreClock
    let log: @Sendable (StoreEvent) -> Void
    let state = AdaptiveMutex(State())
    /// The lock of a thread that opens or closes the keychain.
    let turn = AdaptiveMutex<Void>(())
    /// The lock of a thread that publishes a copy.
    let publishing = AdaptiveMutex<Void>(())

    /// Makes the value for a path, with a file or without; opens nothing.
    ///
    /// - Parameters:
    ///   - path: an absolute path.
    ///   - isElsewhere: whether the keychain lies outside of the daemon's folder.
    ///   - keys: the keys of the keychains that the custodian has open.
    package init(
        _ path: String, isElsewhere: Bool = false, places: FileKeychainPlaces, keys: any StoreKeySource,
        clock: StoreClock = .system,
        log: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) {
        self.path = path
        self.isElsewhere = isElsewhere
        self.places = places
        self.keys = keys
        self.clock = clock
        self.log = log
    }

    package var isUnlocked: Bool { state.withLock { $0.opened != nil } }
    /// Whether the keychain is unlocked, and this is its store.
    package func isOpen(with store: ItemStore) -> Bool { state.withLock { $0.opened?.store === store } }

    /// Whether this process has nothing of the keychain, so that the value can be forgotten.
    package var isAtRest: Bool { state.withLock { $0.opened == nil && $0.closing == nil } }

    /// Whether the keychain is unlocked, its file is writable, and changes may be missing from it.
    ///
    /// The call waits for an opening or closing that is under way.
    package func condition() throws(KeychainError) -> (isUnlocked: Bool, isWritable: Bool, mayLackChanges: Bool) {
        if isElsewhere, try places.look(path) == nil { throw KeychainFile.missing(path) }
        let isWritable = KeychainFile.isWritable(path) && openFile?.isReadOnly != true
        if try isOpenInPlace() { return (true, isWritable, openMayLackChanges) }
        // During an opening or closing the file looks as if another daemon had it open.
        return try turn.withLock { (_) throws(KeychainError) in
            if try isOpenInPlace() { return (true, isWritable, openMayLackChanges) }
            return (false, isWritable, try resting().mayLackChanges)
        }
    }

    private var openMayLackChanges: Bool {
        guard let opened = state.withLock({ $0.opened }) else { return false }
        return opened.mayLackChanges || (try? opened.store?.losses().isEmpty) == false
    }

    /// Records that somebody knows of the possible loss.
    package func noteAcknowledgement() { state.withLock { $0.opened?.mayLackChanges = false } }

    /// The identity of the file at the path; nil without a file.
    func identityInPlace() throws(KeychainError) -> FileIdentity? {
        isElsewhere ? try places.look(path) : try KeychainFile.identity(at: path)
    }

    func resting(_ lent: LentFile? = nil) throws(KeychainError) -> UnverifiedKeychain {
        guard isElsewhere else { return try UnverifiedKeychain(path, places) }
        for _ in 1..<Self.readings {
            do throws(KeychainError) { return try UnverifiedKeychain(elsewhere: path, places, lent: lent) } catch {
                guard lent == nil, error.cause == .exchanged else { throw error }
            }
        }
        return try UnverifiedKeychain(elsewhere: path, places, lent: lent)
    }

    /// Whether the keychain is unlocked, and the unlocked file stands at its path.
    package var isInPlace: Bool { (try? isOpenInPlace()) ?? false }

    private func isOpenInPlace() throws(KeychainError) -> Bool {
        guard let opened = state.withLock({ $0.opened }) else { return false }
        guard let file = try identityInPlace() else { throw KeychainFile.missing(path) }
        guard file == opened.file else { throw KeychainFile.exchanged(path) }
        return true
    }

    /// The store of items; throws `errSecInteractionNotAllowed` while the keychain is locked.
    package func store() throws(KeychainError) -> ItemStore {
        if let store = try readyStore() { return store }
        return try turn.withLock { (_) throws(KeychainError) in try usableStore() }
    }

    /// The open store; nil where it has to be opened again, before which every user has to release it.
    private func readyStore() throws(KeychainError) -> ItemStore? {
        guard let opened = state.withLock({ $0.opened }) else { throw Self.locked(path) }
        guard let file = try identityInPlace() else { throw KeychainFile.missing(path) }
        guard file == opened.file else { throw KeychainFile.exchanged(path) }
        return opened.store.flatMap { $0.needsReopening ? nil : $0 }
    }

    /// The keychain's identifier and its header, as the file states them.
    package func header() throws(KeychainError) -> (keychain: StoreIdentifier, header: [UInt8]) {
        if let opened = state.withLock({ $0.opened }), let header = opened.keys.header {
            return (opened.checkOut.keychain, header)
        }
        return try reading { resting in (resting.keychain, resting.header) }
    }

    /// Searches a locked keychain; the result is unproven and has no secrets.
    ///
    /// Where the keychain is opened or closed meanwhile, the search runs again, and takes the turn for each of its
    /// queries. It holds no turn between them: a search may ask other daemons in between, and no opening or closing may
    /// wait for those.
    ///
    /// - Parameters:
    ///   - byteLimit: the most bytes that one query may read; more is `errSecDataTooLarge`.
    ///   - search: gets a closure that runs one query; may be called twice.
    ///   - index: the key of the digests for a header.
    package func findUnverified(
        byteLimit: Int = .max,
        _ search: ((ItemQuery) throws(KeychainError) -> [FoundItem]) throws(KeychainError) -> [FoundItem],
        index: ([UInt8]) throws(KeychainError) -> SecretBytes
    ) throws(KeychainError) -> [FoundItem] {
        func look(
            _ query: ItemQuery, in resting: UnverifiedKeychain, _ index: SecretBytes
        ) throws(KeychainError) -> [FoundItem] {
            guard let items = resting.items else { throw UnverifiedKeychain.invalid(path) }
            return try items.find(query, group: Self.group, index: index, byteLimit: byteLimit)
        }
        let before = state.withLock { $0.moves }
        let found = Result { () throws(KeychainError) in
            let resting = try resting()
            let index = try index(resting.header)
            return try search { (query) throws(KeychainError) in try look(query, in: resting, index) }
        }
        if isAsItWas(since: before) { return try found.get() }
        let header = try turn.withLock { (_) throws(KeychainError) in try resting().header }
        let index = try index(header)
        return try search { (query) throws(KeychainError) in
            try turn.withLock { (_) throws(KeychainError) in try look(query, in: try resting(), index) }
        }
    }

    /// The items that one query describes in a locked keychain; unproven and without secrets.
    package func findUnverified(
        _ query: ItemQuery, byteLimit: Int = .max, index: ([UInt8]) throws(KeychainError) -> SecretBytes
    ) throws(KeychainError) -> [FoundItem] {
        try findUnverified(byteLimit: byteLimit, { (look) throws(KeychainError) in try look(query) }, index: index)
    }

    /// The answer that a request got before the keychain was locked, or before a daemon ended; nil where it got none.
    package func unverifiedAnswer(to request: ChangeRequest) throws(KeychainError) -> FirstAnswer? {
        try reading { (resting) throws(KeychainError) in try resting.items?.answer(to: request) }
    }

    /// Reads the locked file; reads it again with the turn where it was opened or closed meanwhile.
    private func reading<Answer>(
        _ body: (UnverifiedKeychain) throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        let moves = state.withLock { $0.moves }
        let answer = Result { () throws(KeychainError) in try body(try resting()) }
        if isAsItWas(since: moves) { return try answer.get() }
        return try turn.withLock { (_) throws(KeychainError) in try body(try resting()) }
    }

    /// Whether nobody was opening or closing the keychain, or has begun to.
    private func isAsItWas(since moves: UInt64) -> Bool {
        moves.isMultiple(of: 2) && state.withLock { $0.moves == moves }
    }

    /// Runs an opening or closing, which concurrent readers can notice; the caller holds the turn.
    func moving<Answer>(_ body: () throws(KeychainError) -> Answer) throws(KeychainError) -> Answer {
        state.withLock { $0.moves += 1 }
        defer { state.withLock { $0.moves += 1 } }
        return try body()
    }

    /// Unlocks the keychain; one that is unlocked stays so, whatever the password.
    ///
    /// An open keychain whose file is gone counts as missing.
    ///
    /// - Parameters:
    ///   - lent: the file of a keychain elsewhere; one that is unlocked already needs none.
    ///   - open: has the custodian open the keychain's keys; answers whether the password was right.
    package func unlock(
        lending lent: LentFile? = nil, _ open: (StoreIdentifier, _ header: [UInt8]) throws(KeychainError) -> Bool
    ) throws(KeychainError) -> Unlocking {
        try turn.withLock { (_) throws(KeychainError) in
            if state.withLock({ $0.opened != nil }) {
                guard try identityInPlace() != nil else { throw KeychainFile.missing(path) }
                return .unlocked
            }
            // The folder has one database, which must not be checked in while it is open once more.
            if !settle() { abandonClosing() }
            guard let lent = try required(lent) else {
                let resting = try resting()
                guard try open(resting.keychain, resting.header) else { return .wrongPassword }
                try checkOut(resting, nil)
                return .unlocked
            }
            return try locking(lent) { () throws(KeychainError) in
                let resting = try resting(lent)
                defer { try? resting.draft?.remove() }
                guard try open(resting.keychain, resting.header) else { return .wrongPassword }
                try checkOut(resting, lent)
                return .unlocked
            }
        }
    }

    /// Locks the keychain, whoever uses it; true once the file has all changes and is checked in.
    ///
    /// - Parameter forget: has the custodian forget the keys.
    @discardableResult
    package func lock(_ forget: (StoreIdentifier) -> Void) -> Bool {
        turn.withLock { _ in
            if let opened = state.withLock({ $0.opened }) {
                opened.store?.forgetKeys()
                forget(opened.checkOut.keychain)
                state.withLock { ($0.opened, $0.closing) = (nil, opened) }
            }
            // The keys are gone already: the keychain is locked even where the file cannot be settled.
            return settle(attempts: Self.attempts)
        }
    }

    /// Replaces the header after a change of the password; on disk when it returns.
    package func replaceHeader(_ header: [UInt8]) throws(KeychainError) {
        try turn.withLock { (_) throws(KeychainError) in
            let store = try usableStore()
            if let refusal = store.refusal { throw refusal }
            try store.write(.header(header))
            // From here on the new password counts, even if the remaining steps fail.
            state.withLock { $0.opened?.keys.note(header: header) }
            do throws(KeychainError) {
                try RememberedHeader(header: header, path: path).write(of: store.identifier, places)
                _ = try store.settleLog()
            } catch { log(.settlingFailed(error)) }
        }
    }

    package static func locked(_ path: String) -> KeychainError {
        KeychainError(cause: .locked, "the keychain \(path) is locked; unlock it first")
    }
}
