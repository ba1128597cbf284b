import ChatelaineModel
import Glibc

/// Parses a team on the command line.
enum TeamWord {
    static func team(_ word: String) throws(ToolError) -> TeamIdentifier {
        guard let team = TeamIdentifier(word) else {
            throw .usage(
                "a team is \(TeamIdentifier.length) of A\u{2013}Z and 0\u{2013}9: “\(Printable.text(word))” is none")
        }
        return team
    }
}

/// Reads a certificate from a file named on the command line.
enum CertificateFile {
    /// The bytes of the file; throws ``ToolError``.
    static func read(_ path: String) throws(ToolError) -> [UInt8] {
        let limit = SignatureLimits.maximumAnchorBytes
        // A pipe without a writer must not block us.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else { throw .failure("\(path): \(String(cString: strerror(errno)))") }
        defer { close(file) }
        var status = stat()
        // SAFETY: the call fills the structure.
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .failure("\(path) is not a regular file")
        }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var filled = 0
        while filled < bytes.count {
            // SAFETY: the call writes at most as many bytes as the rest of the array has.
            let count = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(file, buffer.baseAddress.map { $0 + filled }, buffer.count - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .failure("\(path): \(String(cString: strerror(errno)))") }
            if count == 0 { break }
            filled += count
        }
        guard filled <= limit else { throw .failure("\(path) has more than \(limit) bytes: it is no certificate") }
        return Array(bytes.prefix(filled))
    }
}
