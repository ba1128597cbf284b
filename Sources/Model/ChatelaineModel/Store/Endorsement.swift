/// The key custodian's signature over records that widen access, made after the passcode was given.
///
/// It proves that the person wanted these records. A program that can write every file of the user cannot make one.
///
/// Format: `Documentation/formats/keybag.md`.
package struct Endorsement: Hashable, Sendable {
    /// SHA-256 of the records.
    package static let digestBytes = 32
    /// Ed25519 (RFC 8032).
    package static let signatureBytes = 64

    /// Rises with each endorsement of a keybag; an older one does not count.
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
