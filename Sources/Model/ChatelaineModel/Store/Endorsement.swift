/// What the key custodian says of records that widen access, once the passcode was given: that these are the ones which the person
/// wanted. A program that can write every file of the user's cannot make one.
///
/// Format: `Documentation/formats/keybag.md`.
package struct Endorsement: Hashable, Sendable {
    /// SHA-256 of the records.
    package static let digestBytes = 32
    /// Ed25519 (RFC 8032).
    package static let signatureBytes = 64

    /// Grows with each one of a keybag: an older one counts for nothing.
    package let number: UInt64
    package let signature: [UInt8]

    package init(number: UInt64, signature: [UInt8]) {
        self.number = number
        self.signature = signature
    }
}

extension Endorsement: CBORValue {
    package func encode(to writer: inout CBORWriter) {
        writer.writeArray(count: 2)
        writer.write(number)
        writer.write(signature)
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        try reader.readArrayHead(of: 2)
        number = try reader.readUnsigned()
        signature = try reader.readArray(count: Self.signatureBytes)
    }
}
