/// The SHA-256 digest of an executable's bytes.
package struct ExecutableDigest: Hashable, Sendable {
    package static let byteCount = 32

    package let bytes: [UInt8]

    /// Nil unless there are exactly ``byteCount`` bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = [UInt8](bytes)
    }
}

extension ExecutableDigest: CustomStringConvertible {
    /// In hexadecimal, as sha256sum prints it.
    package var description: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
