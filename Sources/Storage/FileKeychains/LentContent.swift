import ChatelaineModel
import ChatelaineSystem
import Glibc
import StoreEngine

/// The identifier of one check-out of a keychain elsewhere.
struct CheckOutToken: Equatable, Sendable {
    static let byteCount = 12

    let bytes: [UInt8]

    init() { bytes = Array(StoreIdentifier().bytes.prefix(Self.byteCount)) }

    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }
}

/// The bytes of a lent file, which is written in place: the daemon can make or rename nothing in its folder.
///
/// During a write the first bytes of the file name the check-out that writes. So a torn file is never taken for a whole
/// one: this machine replaces it by the work copy, and another machine saves what it can.
struct LentContent {
    let file: Int32
    let path: String

    /// The size of a page of the database, and of the memory.
    private static let block = 4096
    private static let magic = KeychainFileHead.database
    private static let writing = KeychainFileHead.writing

    /// The check-out whose write to the file did not end; nil for a whole file.
    func torn() throws(KeychainError) -> CheckOutToken? {
        var first = [UInt8](repeating: 0, count: Self.magic.count)
        guard try Self.read(file, into: &first, at: 0, path) == first.count, first.starts(with: Self.writing) else {
            return nil
        }
        return CheckOutToken(Array(first.dropFirst(Self.writing.count)))
    }

    static func torn(at path: String) throws(KeychainError) -> CheckOutToken? {
        let number = StoreFolder.repeated { open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
        guard number >= 0 else { throw KeychainError(system: errno, path) }
        let file = Descriptor(number)
        return try LentContent(file: file.number, path: path).torn()
    }

    /// Whether the file at a path begins as a keychain does.
    static func isKeychain(at path: String) throws(KeychainError) -> Bool {
        let number = StoreFolder.repeated { open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
        guard number >= 0 else { throw KeychainError(system: errno, path) }
        let file = Descriptor(number)
        var head = [UInt8](repeating: 0, count: KeychainFileHead.byteCount)
        head.removeLast(head.count - (try read(file.number, into: &head, at: 0, path)))
        return KeychainFileHead.isKeychain(head)
    }

    /// Copies the contents into a new file; a torn file's first bytes are replaced by those of a database.
    func copy(to destination: String) throws(KeychainError) {
        let number = StoreFolder.repeated {
            open(destination, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        guard number >= 0 else { throw KeychainError(system: errno, destination) }
        let copy = Descriptor(number)
        var bytes = [UInt8](repeating: 0, count: 64 * Self.block)
        var offset: Int = 0
        while Int64(offset) < LentFile.maximumBytes {
            let count = try Self.read(file, into: &bytes, at: offset, path)
            guard count > 0 else { break }
            try Self.write(bytes[..<count], to: copy.number, at: offset, destination)
            offset += count
        }
        if try torn() != nil { try Self.write(Self.magic[...], to: copy.number, at: 0, destination) }
        try Self.sync(copy.number, destination)
    }

    /// Replaces the contents by those of a database that nobody writes meanwhile; on disk when it returns.
    ///
    /// New blocks are written beyond the present end first, so that a full disk is met before anything is changed. Then
    /// all blocks that differ are written, the first one last.
    func replace(with database: Int32, _ name: String, by token: CheckOutToken) throws(KeychainError) {
        let (size, before) = (try Self.size(database, name), try Self.size(file, path))
        guard size > 0, Int64(size) <= LentFile.maximumBytes else {
            throw KeychainError(
                .dataTooLarge, "\(path) would be larger than \(LentFile.maximumBytes) bytes; delete items from it")
        }
        let blocks = (size + Self.block - 1) / Self.block
        let kept = min(max(1, before / Self.block), blocks)
        do throws(KeychainError) {
            for block in kept..<blocks { try write(block, of: database, name) }
            if kept < blocks { try Self.sync(file, path) }
        } catch {
            _ = ftruncate(file, before)
            throw error
        }
        var changed: [Int] = []
        for block in 0..<kept where try Self.read(block, of: file, path) != Self.read(block, of: database, name) {
            changed.append(block)
        }
        guard !changed.isEmpty || before > size || kept < blocks else { return }
        try Self.write((Self.writing + token.bytes)[...], to: file, at: 0, path)
        try Self.sync(file, path)
        for block in changed where block > 0 { try write(block, of: database, name) }
        guard StoreFolder.repeated({ ftruncate(file, size) }) == 0 else { throw KeychainError(system: errno, path) }
        try Self.sync(file, path)
        try write(0, of: database, name)
        try Self.sync(file, path)
    }

    /// Takes all content out of the file; on disk when it returns.
    func empty() throws(KeychainError) {
        guard StoreFolder.repeated({ ftruncate(file, 0) }) == 0 else { throw KeychainError(system: errno, path) }
        try Self.sync(file, path)
    }

    private func write(_ block: Int, of database: Int32, _ name: String) throws(KeychainError) {
        let bytes = try Self.read(block, of: database, name)
        try Self.write(bytes[...], to: file, at: block * Self.block, path)
    }

    // MARK: Calls

    private static func read(_ block: Int, of file: Int32, _ path: String) throws(KeychainError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.block)
        bytes.removeLast(Self.block - (try read(file, into: &bytes, at: block * Self.block, path)))
        return bytes
    }

    /// Reads as many bytes as the file has, up to the size of `bytes`.
    private static func read(
        _ file: Int32, into bytes: inout [UInt8], at offset: Int, _ path: String
    ) throws(KeychainError) -> Int {
        var count = 0
        while count < bytes.count {
            // SAFETY: at most the bytes behind the first `count` are written.
            let result = bytes.withUnsafeMutableBytes { buffer in
                StoreFolder.repeated {
                    pread(file, buffer.baseAddress.map { $0 + count }, buffer.count - count, offset + count)
                }
            }
            guard result >= 0 else { throw KeychainError(system: errno, path) }
            guard result > 0 else { break }
            count += result
        }
        return count
    }

    private static func write(
        _ bytes: ArraySlice<UInt8>, to file: Int32, at offset: Int, _ path: String
    ) throws(KeychainError) {
        var count = 0
        while count < bytes.count {
            // SAFETY: at most the bytes behind the first `count` are read.
            let result = bytes.withUnsafeBytes { buffer in
                StoreFolder.repeated {
                    pwrite(file, buffer.baseAddress.map { $0 + count }, buffer.count - count, offset + count)
                }
            }
            guard result > 0 else { throw KeychainError(system: result < 0 ? errno : ENOSPC, path) }
            count += result
        }
    }

    private static func sync(_ file: Int32, _ path: String) throws(KeychainError) {
        guard StoreFolder.repeated({ fsync(file) }) == 0 else { throw KeychainError(system: errno, path) }
    }

    private static func size(_ file: Int32, _ path: String) throws(KeychainError) -> Int {
        var status = stat()
        guard StoreFolder.repeated({ fstat(file, &status) }) == 0 else {
            throw KeychainError(system: errno, path)
        }
        return Int(status.st_size)
    }
}
