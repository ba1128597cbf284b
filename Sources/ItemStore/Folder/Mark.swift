import ChatelaineModel
import Glibc

/// The file that remembers the last committed sequence, so that a database that lost changes is noticed.
///
/// Written after each commit and never synced: after a power failure it may be behind the database, and it is never
/// ahead of one that is whole. Thirty-two bytes: "chtlmrk" and the version 1, the store's identifier, the sequence as
/// a little-endian number. A sequence is written in one aligned piece.
// `@unchecked Sendable`: the descriptor never changes, and pwrite needs no position.
final class Mark: @unchecked Sendable {
    static let byteCount = 32
    /// What no store reaches in its life; a higher number is damage, and would leave none to go on with.
    static let highestSequence: UInt64 = 1 << 62
    private static let sequenceOffset = 24
    private static let magic: [UInt8] = Array("chtlmrk".utf8) + [1]

    /// What a mark says.
    enum Content: Equatable, Sendable {
        case missing
        /// Not what is ever written there; a loss cannot be noticed by it.
        case damaged
        case sequence(UInt64, store: ItemIdentifier)
    }

    private let descriptor: Int32
    private let path: String

    private init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// The mark of a folder. Throws only where the file cannot be read.
    static func content(_ folder: String) throws(KeychainError) -> Content {
        let path = folder + "/" + StoreFiles.mark
        guard let content = try StoreFolder.read(path, limit: byteCount) else { return .missing }
        // Made, and cut off before it was written: as good as missing.
        if content.allSatisfy({ $0 == 0 }) { return .missing }
        guard content.count == byteCount, Array(content[..<8]) == magic, let store = ItemIdentifier(content[8..<24])
        else { return .damaged }
        let sequence = content[sequenceOffset...].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        return sequence <= highestSequence ? .sequence(sequence, store: store) : .damaged
    }

    /// The sequence in the mark of this folder, or nil where there is none that could be read.
    ///
    /// `errSecNotAvailable` for the mark of another store.
    static func read(_ folder: String, store: ItemIdentifier?) throws(KeychainError) -> UInt64? {
        guard case .sequence(let sequence, let marked) = try content(folder) else { return nil }
        guard store == nil || store == marked else {
            throw KeychainError(
                .notAvailable,
                "\(folder)/\(StoreFiles.mark) belongs to another store than the database beside it: put together what "
                    + "belongs together")
        }
        return sequence
    }

    /// Opens the mark for writing, and makes it where it is missing. One that is damaged is kept beside it.
    static func open(
        _ folder: String, store: ItemIdentifier, sequence: UInt64
    ) throws(KeychainError) -> Mark {
        let path = folder + "/" + StoreFiles.mark
        if try content(folder) == .damaged {
            var number = 1
            while try StoreFolder.exists("\(path).damaged-\(number)") { number += 1 }
            try StoreFolder.move(path, to: "\(path).damaged-\(number)")
        }
        let descriptor = StoreFolder.repeated { Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600) }
        guard descriptor >= 0 else { throw KeychainError(file: path, "opening the mark") }
        let mark = Mark(descriptor: descriptor, path: path)
        try mark.write(magic + store.bytes + Self.bytes(sequence), at: 0)
        return mark
    }

    func write(_ sequence: UInt64) throws(KeychainError) {
        try write(Self.bytes(sequence), at: Self.sequenceOffset)
    }

    private static func bytes(_ sequence: UInt64) -> [UInt8] {
        withUnsafeBytes(of: sequence.littleEndian) { Array($0) }
    }

    private func write(_ bytes: [UInt8], at offset: Int) throws(KeychainError) {
        var done = 0
        while done < bytes.count {
            // SAFETY: writes what is left of the array.
            let count = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw KeychainError(file: path, "writing the mark") }
            done += count
        }
    }
}
