/// Thirty-two bytes as a value: a SHA-256 digest of a certificate or key.
package struct Bytes32: Hashable, Sendable, CustomStringConvertible {
    package static let count = 32

    package let array: [UInt8]

    /// Nil unless there are exactly ``count`` bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        array = Array(bytes)
    }

    /// In hexadecimal, as sha256sum prints it.
    package var description: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: array.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension Bytes32: CBORValue {
    package func encode(to writer: inout CBORWriter) { writer.write(array) }

    package init(from reader: inout CBORReader) throws(CBORError) {
        guard let value = Self(try reader.readArray(count: Self.count)) else { throw .outOfRange }
        self = value
    }
}
