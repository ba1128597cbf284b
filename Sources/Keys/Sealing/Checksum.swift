import Crypto

/// The first bytes of SHA-256, which tell chance damage from a wrong password.
///
/// Anybody can compute it.
package enum Checksum {
    package static let byteCount = 8

    package static func of(_ content: some Sequence<UInt8>) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: Array(content))
        return Array(hash.finalize().prefix(byteCount))
    }

    /// The whole SHA-256, which serves as a name for the bytes.
    package static func sha256(of content: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: content)) }
}
