import ChatelaineModel
import Glibc

/// A file that a verb reads whole.
enum InputFile {
    private static let chunk = 64 * 1024

    /// - Throws: where it has more bytes, whatever its file system says of it: a device or a pipe may go on for ever.
    static func bytes(_ path: String, limit: Int) throws(ToolError) -> [UInt8] {
        // A pipe that nobody writes to has nobody wait.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else { throw failure(path) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure(path) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw .failure("\(path) is a folder") }
        // One that somebody writes to is read to its end.
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
