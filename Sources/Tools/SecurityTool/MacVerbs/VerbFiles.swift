import ChatelaineModel
import Glibc

/// Reads a whole file for a verb.
enum InputFile {
    private static let chunk = 64 * 1024

    /// - Throws: if the file has more bytes, whatever size its file system reports, since a device or pipe may be
    ///   endless.
    static func bytes(_ path: String, limit: Int) throws(ToolError) -> [UInt8] {
        // A pipe without a writer must not block us.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else { throw failure(path) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure(path) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw .failure("\(path) is a folder") }
        // A pipe with a writer is read to its end.
        guard fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK) == 0 else { throw failure(path) }
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            let filled = bytes.count
            let room = min(chunk, limit + 1 - filled)
            bytes += [UInt8](repeating: 0, count: room)
            // SAFETY: the call writes at most `room` bytes behind those that are there.
            let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress.map { $0 + filled }, room) }
            let error = errno
            bytes.removeLast(room - max(0, count))
            if count == 0 { return bytes }
            guard count > 0 || error == EINTR else {
                throw .failure("\(path) cannot be read: \(String(cString: strerror(error)))")
            }
        }
        throw .failure("\(path) has more than \(limit) bytes")
    }

    private static func failure(_ path: String) -> ToolError {
        .failure("\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
}
