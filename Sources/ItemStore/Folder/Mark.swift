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
    private static let sequenceOffset = 24
    private static let magic: [UInt8] = Array("chtlmrk".utf8) + [1]

    private let descriptor: Int32
    private let path: String

    private init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// The sequence in the mark of this folder, or nil where there is none.
    ///
    /// `errSecNotAvailable` for a mark that is not one, or is that of another store.
    static func read(_ folder: String, store: ItemIdentifier?) throws(KeychainError) -> UInt64? {
        let path = folder + "/" + StoreFiles.mark
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw KeychainError(file: path, "opening the mark")
        }
        defer { close(descriptor) }
        var content = [UInt8](repeating: 0, count: byteCount)
        var filled = 0
        while filled < byteCount {
            // SAFETY: reads into what is left of the array.
            let count = content.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress.map { $0 + filled }, byteCount - filled, off_t(filled))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw KeychainError(file: path, "reading the mark") }
            if count == 0 { break }
            filled += count
        }
        // Made, and cut off before it was written: as good as missing.
        if content.allSatisfy({ $0 == 0 }) { return nil }
        guard filled == byteCount, Array(content[..<8]) == magic else {
            throw KeychainError(
                .notAvailable, "\(path) is damaged; compare the store with a copy, then remove the file")
        }
        guard store == nil || Array(content[8..<24]) == store?.bytes else {
            throw KeychainError(.notAvailable, "\(path) belongs to another store than the database beside it")
        }
        return content[sequenceOffset...].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Opens the mark for writing, and makes it where it is missing.
    static func open(_ folder: String, store: ItemIdentifier, sequence: UInt64) throws(KeychainError) -> Mark {
        let path = folder + "/" + StoreFiles.mark
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
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
