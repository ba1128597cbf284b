import Glibc

/// Reads the beginning of a file in /proc.
enum SmallFile {
    private static let bytes = 256

    /// The first line; nil if the file cannot be read.
    static func firstLine(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: bytes)
        // SAFETY: the call writes at most as many bytes as the array has.
        let count = buffer.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
        guard count > 0 else { return nil }
        return String(decoding: buffer.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
