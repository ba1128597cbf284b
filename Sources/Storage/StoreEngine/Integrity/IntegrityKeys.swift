import ChatelaineModel
import Glibc
import Sealing

/// The keys that authenticate a store's rows, its head record and its mark.
package struct IntegrityKeys: Sendable {
    let authenticator: RowAuthenticator
    private let head: SealingKey
    private let mark: KeyedDigest

    package init(_ secrets: StoreSecrets, _ layout: RowLayout) throws(KeychainError) {
        authenticator = RowAuthenticator(KeyedDigest(secrets.integrity), layout)
        head = try SealingKey(secrets.head)
        mark = KeyedDigest(secrets.mark)
    }

    func seal(_ head: IntegrityHead, of store: StoreIdentifier) throws(KeychainError) -> SealedHead {
        let content = head.encode()
        let sealed = content.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in
                try self.head.seal(bytes, for: SealContext(.integrityHead, store: store))
            }
        }
        return SealedHead(bytes: try sealed.get())
    }

    /// Opens a sealed head; nil for one that this key did not seal for this store.
    func open(_ sealed: UnsafeRawBufferPointer, of store: StoreIdentifier) -> IntegrityHead? {
        guard let content = try? head.open(sealed, for: SealContext(.integrityHead, store: store)) else { return nil }
        return content.withUnsafeBytes { IntegrityHead($0) }
    }

    /// The authentication code for a slot of the mark.
    func authentication(ofMark slot: ArraySlice<UInt8>) -> [UInt8] { slot.withUnsafeBytes { mark.digest($0) } }
}

/// The sealed contents of a store's head record: a digest of all rows, the last change, and the history.
struct IntegrityHead: Equatable, Sendable {
    static let byteCount = 2 * Bytes16.count + 3 * 8 + UInt256.byteCount + RowMultisetHash.byteCount

    /// The random identifier of the store's present history.
    ///
    /// A new history begins wherever the store goes on from another state than that of its last change: after a
    /// recovery, a restored snapshot, or an acknowledged loss.
    var epoch: Bytes16
    /// The identifier of the previous history; it tells a mark that is slightly behind from that of a foreign history.
    var previous: Bytes16
    /// The number of the change that wrote this head.
    var sequence: UInt64
    /// The base of the recovery that goes on, or 0.
    ///
    /// Without it, whoever writes the table of recoveries could have rows brought from any copy, or left out.
    var recovery: UInt64
    /// The sum of the rows that this recovery still has to bring; nil where it is unknown, or without a recovery.
    var owed: UInt256?
    var rows: RowMultisetHash

    /// The identifier that stands for no history, before the first.
    static let noEpoch = Bytes16(repeating: 0)

    /// Begins a new history.
    init(after previous: Bytes16, sequence: UInt64, recovery: UInt64 = 0, owed: UInt256? = nil, rows: RowMultisetHash) {
        epoch = .random()
        self.previous = previous
        self.sequence = sequence
        self.recovery = recovery
        self.owed = owed
        self.rows = rows
    }

    func encode() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        epoch.withUnsafeBytes { bytes.append(contentsOf: $0) }
        previous.withUnsafeBytes { bytes.append(contentsOf: $0) }
        for number in [sequence, recovery, owed == nil ? 0 : 1] {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        (owed ?? UInt256()).append(to: &bytes)
        rows.append(to: &bytes)
        return bytes
    }

    /// Decodes a head; nil for another length.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount, let epoch = Bytes16(bytes[..<16]), let previous = Bytes16(bytes[16..<32]),
            let rows = RowMultisetHash(UnsafeRawBufferPointer(rebasing: bytes[88...]))
        else { return nil }
        self.epoch = epoch
        self.previous = previous
        sequence = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 32, as: UInt64.self))
        recovery = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 40, as: UInt64.self))
        let isOwing = bytes[48] != 0
        owed = isOwing ? UInt256(UnsafeRawBufferPointer(rebasing: bytes[56..<88])) : nil
        self.rows = rows
    }
}

/// The encoding of an ``IntegrityHead`` in the file.
struct SealedHead: Equatable, Sendable {
    let bytes: [UInt8]

    func isSame(as other: UnsafeRawBufferPointer) -> Bool {
        bytes.withUnsafeBytes { bytes in
            guard let mine = bytes.baseAddress, let theirs = other.baseAddress else { return false }
            // SAFETY: both have as many bytes.
            return bytes.count == other.count && memcmp(mine, theirs, bytes.count) == 0
        }
    }

    /// The tag at the seal's end, which tells this seal from every other, even one of the same contents.
    var tag: Bytes16 { Bytes16(bytes.suffix(Bytes16.count)) ?? Bytes16(repeating: 0) }
}
