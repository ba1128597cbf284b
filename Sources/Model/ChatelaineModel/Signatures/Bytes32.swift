/// Thirty-two bytes as a value: a SHA-256 digest of a certificate or key.
package struct Bytes32: Hashable, Sendable, CustomStringConvertible {
    package static let count = 32

    package let array: [UInt8]

    /// Nil unless there are exactly ``count`` bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        array = Array(bytes)
    }

    /// Nil unless the text is 64 hexadecimal digits, of either case.
    package init?(hexadecimal text: some Sequence<UInt8>) {
        guard let bytes = Hexadecimal.bytes(of: text) else { return nil }
        self.init(bytes)
    }

    /// The digest in hexadecimal, as sha256sum prints it.
    package var description: String { Hexadecimal.text(of: array) }
}

extension Bytes32: CBORValue {
    package func encode(to writer: inout CBORWriter) { writer.write(array) }

    package init(from reader: inout CBORReader) throws(CBORError) {
        guard let value = Self(try reader.readArray(count: Self.count)) else { throw .outOfRange }
        self = value
    }
}
