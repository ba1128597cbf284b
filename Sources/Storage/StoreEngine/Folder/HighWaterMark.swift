import ChatelaineModel
import Glibc

/// The file that remembers the last change of a store outside of its folder, so that a store that lost changes, or in whose
/// place an older copy was put, is noticed (`Documentation/formats/item-store.md`).
///
/// Written after each commit and never synced: after a power failure it may be behind the database, and it is never
/// ahead of one that is whole. Two slots of one sector take turns, so that a write which a power failure tears leaves the one
/// before it. Each is authenticated: what was not written by us counts for nothing.
// `@unchecked Sendable`: used on the queue of the store's writer only, once it is open.
final class HighWaterMark: @unchecked Sendable {
    static let slotCount = 2
    static let slotByteCount = 512
    /// What no store reaches in its life; a higher number is damage, and would leave none to go on with.
    static let highestSequence: UInt64 = 1 << 62
    /// By how much a mark that is not authenticated may be ahead and still be believed: a store makes so many changes in no
    /// life, and another so many behind them are left.
    static let highestClaim: UInt64 = 1 << 48

    /// What a slot says.
    struct State: Equatable, Sendable {
        var store: StoreIdentifier
        var epoch: Bytes16
        var sequence: UInt64
        /// Of the seal of the head record.
        var head: Bytes16
        var generations = Generations()
    }

    /// How often other files of the daemons have been written, whose older copies are to be noticed.
    struct Generations: Equatable, Sendable {
        var ledger: UInt64 = 0
        var keybag: UInt64 = 0
    }

    /// What there is of a mark.
    enum Finding: Equatable, Sendable {
        case missing
        /// Not what is ever written there; a loss cannot be noticed by it.
        case damaged
        /// The mark of formats 1 and 2, which lies in the store's folder and is not authenticated.
        case earlier(UInt64, store: StoreIdentifier)
        case state(State)
    }

    private let descriptor: Int32
    private let path: String
    private let keys: IntegrityKeys
    private(set) var state: State
    /// What could not be written last, as far as the system says: it may stand there all the same.
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

    /// The mark of a store. Throws only where the file cannot be read.
    static func find(_ places: StorePlaces, _ keys: IntegrityKeys) throws(KeychainError) -> Finding {
        guard let slots = try Slot.read(places.mark) else { return try earlier(places) }
        guard !slots.isEmpty else { return .missing }
        let authentic = slots.filter { $0.isAuthentic(keys) }
        return authentic.max { $0.count < $1.count }.map { .state($0.state) } ?? .damaged
    }

    /// What the mark says without any proof, for those who have no keys yet.
    static func claim(_ places: StorePlaces) throws(KeychainError) -> (sequence: UInt64, store: StoreIdentifier)? {
        if let slots = try Slot.read(places.mark) {
            let newest = slots.max { $0.count < $1.count }
            return newest.flatMap { $0.state.sequence <= highestClaim ? ($0.state.sequence, $0.state.store) : nil }
        }
        guard case .earlier(let sequence, let store) = try earlier(places) else { return nil }
        return (sequence, store)
    }

    /// Whether there is one, be it damaged.
    static func exists(_ places: StorePlaces) throws(KeychainError) -> Bool {
        if let slots = try Slot.read(places.mark) { return !slots.isEmpty }
        return try earlier(places) != .missing
    }

    private static func earlier(_ places: StorePlaces) throws(KeychainError) -> Finding {
        try earlier(in: places.store)
    }

    /// The mark that a folder of formats 1 and 2 has: "chtlmrk" and the version 1, the store's identifier, the sequence.
    static func earlier(in folder: String) throws(KeychainError) -> Finding {
        let byteCount = 32
        // Whatever stands in the folder's place, whoever opens that says what it is.
        guard try StoreFolder.kind(of: folder) == S_IFDIR else { return .missing }
        guard let content = try StoreFolder.read("\(folder)/\(StoreFiles.earlierMark)", limit: byteCount),
            // Made, and cut off before it was written: as good as missing.
            !content.allSatisfy({ $0 == 0 })
        else { return .missing }
        guard content.count == byteCount, Array(content[..<8]) == Slot.magic + [1],
            let store = StoreIdentifier(content[8..<24])
        else { return .damaged }
        let sequence = content[24...].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        return sequence <= highestClaim ? .earlier(sequence, store: store) : .damaged
    }

    // MARK: Writing

    /// Opens the mark for writing, and makes it where it is missing; on disk when it returns. One that is damaged, or of
    /// another store, is kept beside it.
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

    /// A new file takes the place of none, or of an empty one, whole.
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

    /// Notes the state after a change, in the slot that is not the newest.
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

/// One of the two places of a mark, in which it is written in turn.
private struct Slot {
    static let magic = Array("chtlmrk".utf8)
    private static let version: UInt8 = 2
    private static let authenticatedByteCount = 88
    private static let authenticationByteCount = 32

    var state: HighWaterMark.State
    /// How many were written before; the slots of a mark are told apart by it.
    var count: UInt64
    private var authenticated: ArraySlice<UInt8> = []
    private var authentication: ArraySlice<UInt8> = []

    init(state: HighWaterMark.State, count: UInt64) {
        self.state = state
        self.count = count
    }

    /// The slots that have something in them; nil where there is no file. One that is torn is none.
    ///
    /// A file with something in it, none of which is a slot, has one that no key authenticates.
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

    /// Nil for an empty slot, one of another version, and numbers that none ever has.
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
