import ChatelaineMemory
import ChatelaineSystem
import Glibc

/// Reads a whole file that a person named.
enum InputFile {
    private static let chunk = 64 * 1024

    /// - Throws: if the file has more bytes, whatever size its file system reports, since a device or pipe may be
    ///   endless.
    static func bytes(_ path: String, limit: Int) throws(ToolError) -> [UInt8] {
        let file = try opened(path)
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            let filled = bytes.count
            let room = min(chunk, limit + 1 - filled)
            bytes += [UInt8](repeating: 0, count: room)
            // SAFETY: the call writes at most `room` bytes behind those that are there.
            let count = bytes.withUnsafeMutableBytes { read(file.number, $0.baseAddress.map { $0 + filled }, room) }
            let error = Errno.last
            bytes.removeLast(room - max(0, count))
            if count == 0 { return bytes }
            guard count > 0 || error == .interrupted else { throw failure(path, error) }
        }
        throw .failure("\(path) has more than \(limit) bytes")
    }

    /// The bytes of a file that may contain private keys.
    ///
    /// - Throws: `KeychainError` (`errSecDataTooLarge`) for more bytes than an item holds, and ``ToolError``.
    static func secret(_ path: String, in context: ToolContext) throws -> SecretBytes {
        let file = try opened(path)
        return try SecretReader(progress: context.progress).read(file.number, isChomped: false)
    }

    /// Opens a file, or a pipe, which is then read to its end.
    private static func opened(_ path: String) throws(ToolError) -> Descriptor {
        // A pipe without a writer must not block us.
        let file = Descriptor(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK))
        guard file.number >= 0 else { throw failure(path, .last) }
        var status = stat()
        // SAFETY: the call fills the structure.
        guard fstat(file.number, &status) == 0 else { throw failure(path, .last) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw .failure("\(path) is a folder") }
        guard fcntl(file.number, F_SETFL, fcntl(file.number, F_GETFL) & ~O_NONBLOCK) == 0 else {
            throw failure(path, .last)
        }
        return file
    }

    private static func failure(_ path: String, _ error: Errno) -> ToolError {
        .failure("\(path) cannot be read: \(error)")
    }
}
