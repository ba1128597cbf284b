import ChatelaineModel
import Glibc

/// The mark: a file outside of a store's folder that records the store's last change.
///
/// It reveals that a store lost changes, or was replaced by an older copy (`Documentation/formats/item-store.md`). The
/// mark is written after each commit and never synced. After a power failure it may be behind the database, and it is
/// never ahead of a sound one. Two slots of one sector each take turns, so that a write which a power failure tears
/// leaves the slot before it. Each slot is authenticated: a slot that this store did not write counts for nothing.
// `@unchecked Sendable`: once the store is open, only the queue of its writer uses the mark.
final class HighWaterMark: @unchecked Sendable {
    static let slotCount = 2
    static let slotByteCount = 512
    /// A number that no store reaches; a higher one is damage, and would leave no numbers for further changes.
    static let highestSequence: UInt64 = 1 << 62
    /// The highest sequence that is believed without authentication.
    ///
    /// No store makes as many changes, and beyond them as many numbers again are left.
    static let highestClaim: UInt64 = 1 << 48
    /// The highest number with which a store goes on that nothing but a claim has.
    ///
    /// It is far below what readers believe, so that a store which somebody has pushed there has readable snapshots.
    static let highestStart: UInt64 = 1 << 47

    /// The contents of a slot.
    struct State: Equatable, Sendable {
        var store: StoreIdentifier
        var epoch: Bytes16
        var sequence: UInt64
        /// The tag of the head record's seal.
        var head: Bytes16
        var generations = Generations()
    }

    /// How often other files of the daemons have been written; a lower number reveals an older copy.
    struct Generations: Equatable, Sendable {
        var ledger: UInt64 = 0
        var keybag: UInt64 = 0
    }

    /// The result of reading a mark.
    enum Finding: Equatable, Sendable {
        case missing
        /// The contents are not those of a mark; they cannot reveal a loss.
        case damaged
        /// The mark of formats 1 and 2, which lies in the store's folder and is not authenticated.
        case earlier(UInt64, store: StoreIdentifier)
        case state(State)
    }

    private let descriptor: Int32
    private let path: String
    private let keys: IntegrityKeys
    private(set) var state: State
    /// The state whose write failed; the system may have written it all the same.
    private(set) var attempted: State?
    private var count: UInt64

    private init(_ descriptor: Int32, _ path: String, _ keys: IntegrityKeys, _ state: State, count: UInt64) {
        self.descriptor = descriptor
        self.path = path
        self.keys = keys
        self.state = state
        self.count = count
    }

    deinit { close(descriptor) }

    // MARK: Reading

    /// Reads the mark of a store; throws only where the file cannot be read.
    static func find(_ places: StorePlaces, _ keys: IntegrityKeys) throws(KeychainError) -> Finding {
        guard let slots = try Slot.read(places.mark) else { return try earlier(places) }
        guard !slots.isEmpty else { return .missing }
        let authentic = slots.filter { $0.isAuthentic(keys) }
        return authentic.max { $0.count < $1.count }.map { .state($0.state) } ?? .damaged
    }

    /// The mark's unproven claim, for a caller that has no keys yet.
    static func claim(_ places: StorePlaces) throws(KeychainError) -> (sequence: UInt64, store: StoreIdentifier)? {
        if let slots = try Slot.read(places.mark) {
            let newest = slots.max { $0.count < $1.count }
            return newest.flatMap { $0.state.sequence <= highestClaim ? ($0.state.sequence, $0.state.store) : nil }
        }
        guard case .earlier(let sequence, let store) = try earlier(places) else { return nil }
        return (sequence, store)
    }

    /// Whether a mark exists, even a damaged one.
    static func exists(_ places: StorePlaces) throws(KeychainError) -> Bool {
        if let slots = try Slot.read(places.mark) { return !slots.isEmpty }
        return try earlier(places) != .missing
    }

    private static func earlier(_ places: StorePlaces) throws(KeychainError) -> Finding {
        try earlier(in: places.store)
    }

    /// The mark in a folder of formats 1 and 2: "chtlmrk" and the version 1, the store's identifier, the sequence.
    static func earlier(in folder: String) throws(KeychainError) -> Finding {
        let byteCount = 32
        // The opening of the folder reports anything else in its place.
        guard try StoreFolder.kind(of: folder) == S_IFDIR else { return .missing }
        guard let content = try StoreFolder.read("\(folder)/\(StoreFiles.earlierMark)", limit: byteCount),
            // A mark of zeros was made and not yet written: it counts as missing.
            !content.allSatisfy({ $0 == 0 })
        else { return .missing }
        guard content.count == byteCount, Array(content[..<8]) == Slot.magic + [1],
            let store = StoreIdentifier(content[8..<24])
        else { return .damaged }
        let sequence = content[24...].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        return sequence <= highestClaim ? .earlier(sequence, store: store) : .damaged
    }

    // MARK: Writing

    /// Opens the mark for writing, and makes a missing one; on disk when it returns.
    ///
    /// A damaged mark, or one of another store, is kept beside the new one.
    static func open(
        _ places: StorePlaces, _ keys: IntegrityKeys, _ state: State
    ) throws(KeychainError) -> HighWaterMark {
        let path = places.mark
        let slots = try Slot.read(path)
        let newest = slots?.filter { $0.isAuthentic(keys) }.max { $0.count < $1.count }
        guard let newest, newest.state.store == state.store else {
            if let slots, !slots.isEmpty { try StoreFolder.moveAside(path) }
            return try make(path, keys, state)
        }
        let descriptor = StoreFolder.openFile(path, O_RDWR)
        guard descriptor >= 0 else { throw KeychainError(file: path, "opening the mark") }
        let mark = HighWaterMark(descriptor, path, keys, state, count: newest.count)
        var status = stat()
        guard StoreFolder.repeated({ fstat(descriptor, &status) }) == 0 else {
            throw KeychainError(file: path, "looking at the mark")
        }
        try StoreFolder.check(status, path, kind: S_IFREG)
        if newest.state != state { try mark.write(state) }
        try mark.sync()
        return mark
    }

    /// Makes a whole new file, where no mark or an empty one is.
    private static func make(
        _ path: String, _ keys: IntegrityKeys, _ state: State
    ) throws(KeychainError) -> HighWaterMark {
        try StoreFolder.makeDurable(StoreFolder.parent(of: path))
        let slot = Slot(state: state, count: 1).encode(keys)
        try StoreFolder.replace(path, with: slot + [UInt8](repeating: 0, count: slotByteCount))
        let descriptor = StoreFolder.openFile(path, O_RDWR)
        guard descriptor >= 0 else { throw KeychainError(file: path, "opening the mark") }
        return HighWaterMark(descriptor, path, keys, state, count: 1)
    }

    /// Records the state after a change, in the older slot.
    func write(_ new: State) throws(KeychainError) {
        let next = count + 1
        let bytes = Slot(state: new, count: next).encode(keys)
        let start = Int(next % UInt64(Self.slotCount)) * Self.slotByteCount
        var done = 0
        while done < bytes.count {
            // SAFETY: writes what is left of the array.
            let written = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress.map { $0 + done }, bytes.count - done, off_t(start + done))
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                let error = KeychainError(file: path, "writing the mark")
                attempted = new
                throw error
            }
            done += written
        }
        (state, attempted, count) = (new, nil, next)
    }

    func sync() throws(KeychainError) {
        guard StoreFolder.repeated({ fdatasync(descriptor) }) == 0 else {
            throw KeychainError(file: path, "syncing the mark")
        }
    }
}

/// One of the two slots of a mark, which are written in turn.
private struct Slot {
    static let magic = Array("chtlmrk".utf8)
    private static let version: UInt8 = 2
    private static let authenticatedByteCount = 88
    private static let authenticationByteCount = 32

    var state: HighWaterMark.State
    /// The number of this write; it tells the newer slot from the older.
    var count: UInt64
    private var authenticated: ArraySlice<UInt8> = []
    private var authentication: ArraySlice<UInt8> = []

    init(state: HighWaterMark.State, count: UInt64) {
        self.state = state
        self.count = count
    }

    /// Reads the slots that are in use; nil without a file.
    ///
    /// A torn slot is left out.
    ///
    /// A file with contents and no readable slot yields one slot that no key authenticates.
    static func read(_ path: String) throws(KeychainError) -> [Slot]? {
        let (size, number) = (HighWaterMark.slotByteCount, HighWaterMark.slotCount)
        guard let content = try StoreFolder.read(path, limit: size * number) else { return nil }
        let slots = (0..<number).compactMap { index in
            content.count < (index + 1) * size ? nil : Slot(content[index * size..<(index + 1) * size])
        }
        if slots.isEmpty, !content.allSatisfy({ $0 == 0 }) { return [Slot(garbage: ())] }
        return slots
    }

    private init(garbage: Void) {
        let none = IntegrityHead.noEpoch
        state = HighWaterMark.State(store: StoreIdentifier(none), epoch: none, sequence: 0, head: none)
        count = 0
    }

    func isAuthentic(_ keys: IntegrityKeys) -> Bool {
        !authentication.isEmpty && keys.authentication(ofMark: authenticated).elementsEqual(authentication)
    }

    func encode(_ keys: IntegrityKeys) -> [UInt8] {
        var bytes = Self.magic + [Self.version]
        bytes.reserveCapacity(HighWaterMark.slotByteCount)
        for identifier in [state.store.value, state.epoch, state.head] {
            identifier.withUnsafeBytes { bytes.append(contentsOf: $0) }
        }
        for number in [state.sequence, count, state.generations.ledger, state.generations.keybag] {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        bytes += keys.authentication(ofMark: bytes[...])
        bytes += [UInt8](repeating: 0, count: HighWaterMark.slotByteCount - bytes.count)
        return bytes
    }

    /// Decodes a slot; nil for an empty slot, another version, or an impossible sequence.
    private init?(_ bytes: ArraySlice<UInt8>) {
        let start = bytes.startIndex
        func identifier(_ offset: Int) -> Bytes16 {
            Bytes16(bytes[start + offset..<start + offset + 16]) ?? IntegrityHead.noEpoch
        }
        func number(_ offset: Int) -> UInt64 {
            bytes[start + offset..<start + offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        guard bytes.prefix(8).elementsEqual(Self.magic + [Self.version]), number(56) <= HighWaterMark.highestSequence
        else { return nil }
        state = HighWaterMark.State(
            store: StoreIdentifier(identifier(8)), epoch: identifier(24), sequence: number(56), head: identifier(40),
            generations: .init(ledger: number(72), keybag: number(80)))
        count = number(64)
        authenticated = bytes.prefix(Self.authenticatedByteCount)
        authentication = bytes.dropFirst(Self.authenticatedByteCount).prefix(Self.authenticationByteCount)
    }
}
