import SystemCalls
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import ItemStore
import Sealing
import StoreEngine

/// A keychain in one file, with a password of its own.
///
/// **Locked**, it is a plain file that can be copied, moved and mailed: nothing lies beside it. Names and other attributes can be read, and
/// nothing proves them (``UnverifiedKeychain``). **Unlocked**, the file has a second name in a folder of ours (``FileCheckOut``), in which
/// ``ItemStore`` works as it does for any keychain: log, mark, snapshots and what is set aside lie there.
///
/// **Which file.** A keychain is the file at its path. Where another one stands there, or none, what was open is used no more, and kept.
///
/// **Keys** are the custodian's: whoever unlocks has it look at the password, and this class is told what came of it. The header,
/// which the password opens, is one of the properties of the store.
///
/// Everything may be called from any thread. Unlocking and locking wait for each other, and no search for either.
package final class FileKeychain: Sendable {
    /// The one access group of all items in such keychains, in which who may use an item is the item's own matter.
    package static let group: AccessGroup = "keychain"
    /// How often locking tries to have the log to itself, which waits for a tenth of a second each time for those who read just now.
    private static let attempts = 3
    /// How often a file is read that is exchanged meanwhile, as the machine's is with each change.
    private static let readings = 16

    struct Opened: Sendable {
        /// Nil where it has to be opened anew, and could not be.
        var store: ItemStore?
        var isDamaged = false
        let keys: FileKeySource
        let file: FileIdentity
        let checkOut: FileCheckOut
        /// The file that it is written back to; nil for one in our folder.
        var lent: Lending?
        /// Whether its file was copied while some daemon had it open, and nobody has acknowledged that.
        var mayLackChanges = false
    }

    /// A file elsewhere that is checked out.
    struct Lending: Sendable {
        let file: LentFile
        var record: LentRecord
        /// Open as long as the store is.
        var work: WorkFile?
    }

    struct State {
        var opened: Opened?
        /// Locked while somebody read: the file says still that it is in use.
        var closing: Opened?
        /// Beginnings and ends of opening and closing; odd while the file is between both.
        var moves: UInt64 = 0
    }

    /// What came of unlocking.
    package enum Unlocking: Equatable, Sendable {
        case unlocked
        case wrongPassword
    }

    package let path: String
    /// Whether it lies in another folder than ours: then it is worked on in a copy (``LentFile``).
    package let isElsewhere: Bool
    let places: FileKeychainPlaces
    let keys: any StoreKeySource
    let clock: StoreClock
    let log: @Sendable (StoreEvent) -> Void
    let state = AdaptiveMutex(State())
    /// Held by whoever opens or closes something.
    let turn = AdaptiveMutex<Void>(())
    /// Held by whoever puts a copy of it where others read it.
    let publishing = AdaptiveMutex<Void>(())

    /// The keychain of a path, be there a file or not; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - path: absolute.
    ///   - isElsewhere: whether it lies in another folder than ours.
    ///   - keys: of the keychains that the custodian has open.
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
    /// Whether nothing of it is in this process: it can be forgotten.
    package var isAtRest: Bool { state.withLock { $0.opened == nil && $0.closing == nil } }

    /// Whether it is unlocked, whether its file may be written to, and whether that was copied while some daemon had it open. Waits for who opens
    /// or closes it just now.
    package func condition() throws(KeychainError) -> (isUnlocked: Bool, isWritable: Bool, mayLackChanges: Bool) {
        if isElsewhere, try places.look(path) == nil { throw KeychainFile.missing(path) }
        let isWritable = KeychainFile.isWritable(path)
        if try isOpenInPlace() { return (true, isWritable, openMayLackChanges) }
        // Halfway through being opened or closed, a file looks like one that somebody else has open.
        return try turn.withLock { (_) throws(KeychainError) in
            if try isOpenInPlace() { return (true, isWritable, openMayLackChanges) }
            return (false, isWritable, try resting().mayLackChanges)
        }
    }

    private var openMayLackChanges: Bool { state.withLock { $0.opened?.mayLackChanges ?? false } }

    /// Takes note that somebody knows what may be missing from it.
    package func noteAcknowledgement() { state.withLock { $0.opened?.mayLackChanges = false } }

    /// Which file stands at the path; nil for none.
    func identityInPlace() throws(KeychainError) -> FileIdentity? {
        isElsewhere ? try places.look(path) : try KeychainFile.identity(at: path)
    }

    func resting(_ lent: LentFile? = nil) throws(KeychainError) -> UnverifiedKeychain {
        guard isElsewhere else { return try UnverifiedKeychain(path, places) }
        for _ in 1..<Self.readings {
            do throws(KeychainError) { return try UnverifiedKeychain(elsewhere: path, places, lent: lent) } catch {
                guard lent == nil, error.status == .invalidKeychain, error.cause == .unavailable else { throw error }
            }
        }
        return try UnverifiedKeychain(elsewhere: path, places, lent: lent)
    }

    /// Whether it is unlocked, and the file that was unlocked stands at its path.
    package var isInPlace: Bool { (try? isOpenInPlace()) ?? false }

    private func isOpenInPlace() throws(KeychainError) -> Bool {
        guard let opened = state.withLock({ $0.opened }) else { return false }
        guard let file = try identityInPlace() else { throw KeychainFile.missing(path) }
        guard file == opened.file else { throw KeychainFile.exchanged(path) }
        return true
    }

    /// The items; `errSecInteractionNotAllowed` while it is locked.
    package func store() throws(KeychainError) -> ItemStore {
        if let store = try readyStore() { return store }
        return try turn.withLock { (_) throws(KeychainError) in try usableStore() }
    }

    /// Nil where it has to be opened anew, for which nobody may have it any more.
    private func readyStore() throws(KeychainError) -> ItemStore? {
        guard let opened = state.withLock({ $0.opened }) else { throw Self.locked(path) }
        guard let file = try identityInPlace() else { throw KeychainFile.missing(path) }
        guard file == opened.file else { throw KeychainFile.exchanged(path) }
        return opened.store.flatMap { $0.needsReopening ? nil : $0 }
    }

    /// The keychain's own name for itself, and its header, as the file says.
    package func header() throws(KeychainError) -> (keychain: StoreIdentifier, header: [UInt8]) {
        if let opened = state.withLock({ $0.opened }), let header = opened.keys.header {
            return (opened.checkOut.keychain, header)
        }
        return try reading { resting in (resting.keychain, resting.header) }
    }

    /// What a search finds, without secrets, in a locked keychain: nothing proves it.
    ///
    /// Where somebody opens or closes it meanwhile, the search is made again, and each of its queries is looked for in turn. A search may ask
    /// other daemons in between, for which nobody who wants to open or close it is to wait.
    ///
    /// - Parameters:
    ///   - byteLimit: how much one query may bring up; for more it is `errSecDataTooLarge`.
    ///   - search: is given what looks for one query; may be asked for twice.
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

    /// What one query describes.
    package func findUnverified(
        _ query: ItemQuery, byteLimit: Int = .max, index: ([UInt8]) throws(KeychainError) -> SecretBytes
    ) throws(KeychainError) -> [FoundItem] {
        try findUnverified(byteLimit: byteLimit, { (look) throws(KeychainError) in try look(query) }, index: index)
    }

    /// Reads the file as it rests. What was read while somebody opened or closed it is of neither: then it is read again in turn.
    private func reading<Answer>(
        _ body: (UnverifiedKeychain) throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        let moves = state.withLock { $0.moves }
        let answer = Result { () throws(KeychainError) in try body(try resting()) }
        if isAsItWas(since: moves) { return try answer.get() }
        return try turn.withLock { (_) throws(KeychainError) in try body(try resting()) }
    }

    /// Whether nobody was opening or closing it, or has begun to.
    private func isAsItWas(since moves: UInt64) -> Bool {
        moves.isMultiple(of: 2) && state.withLock { $0.moves == moves }
    }

    /// Opens or closes it, so that whoever reads it meanwhile knows; called with the turn.
    func moving<Answer>(_ body: () throws(KeychainError) -> Answer) throws(KeychainError) -> Answer {
        state.withLock { $0.moves += 1 }
        defer { state.withLock { $0.moves += 1 } }
        return try body()
    }

    /// Unlocks it; one that is unlocked stays so, whatever the password.
    ///
    /// - Parameters:
    ///   - lent: its file, where it lies elsewhere. One that is unlocked needs none.
    ///   - open: has the custodian open the keys of that keychain; answers whether the password was right.
    package func unlock(
        lending lent: LentFile? = nil, _ open: (StoreIdentifier, _ header: [UInt8]) throws(KeychainError) -> Bool
    ) throws(KeychainError) -> Unlocking {
        try turn.withLock { (_) throws(KeychainError) in
            settle()
            if state.withLock({ $0.opened != nil }) { return .unlocked }
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

    /// Lets go of everything that opens items, whoever uses it just now; true once the file has all changes and is nobody's but its owner's.
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
            // The keys are gone, which is what locking is for.
            return settle(attempts: Self.attempts)
        }
    }

    /// Writes what a change of the password has made; on disk when it returns.
    package func replaceHeader(_ header: [UInt8]) throws(KeychainError) {
        try turn.withLock { (_) throws(KeychainError) in
            let store = try usableStore()
            try store.write(.header(header))
            // From here on the new password is the one that counts, whatever else comes to nothing.
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
