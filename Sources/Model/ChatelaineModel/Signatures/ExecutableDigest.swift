/// The SHA-256 digest of an executable's bytes.
package struct ExecutableDigest: Hashable, Sendable, CustomStringConvertible {
    package static let byteCount = Bytes32.count

    package let value: Bytes32
    package var bytes: [UInt8] { value.array }

    /// Nil unless there are exactly ``byteCount`` bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard let value = Bytes32(bytes) else { return nil }
        self.value = value
    }

    package init(_ value: Bytes32) { self.value = value }

    /// The digest in hexadecimal, as sha256sum prints it.
    package var description: String { value.description }
}

extension ExecutableDigest: CBORValue {
    package func encode(to writer: inout CBORWriter) { value.encode(to: &writer) }

    package init(from reader: inout CBORReader) throws(CBORError) { value = try Bytes32(from: &reader) }
}
