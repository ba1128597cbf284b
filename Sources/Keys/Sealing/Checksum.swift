import Crypto

/// The first bytes of SHA-256, by which chance damage is told from a wrong password; anybody can make it.
package enum Checksum {
    package static let byteCount = 8

    package static func of(_ content: some Sequence<UInt8>) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: Array(content))
        return Array(hash.finalize().prefix(byteCount))
    }

    /// All of them: the name of bytes that nobody else can find bytes for.
    package static func sha256(of content: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: content)) }
}
