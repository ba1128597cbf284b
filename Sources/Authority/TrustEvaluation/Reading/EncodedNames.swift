/// Issuer and subject of a certificate, found without parsing the rest.
///
/// A program may name hundreds of anchors of which one matters, and this reads no key and no extension. Different bytes
/// do not prove that two names differ.
struct EncodedNames {
    /// The encoded name, as it is in the certificate.
    let issuer: ArraySlice<UInt8>
    let subject: ArraySlice<UInt8>

    /// Nil if the outer fields are not those of a certificate (RFC 5280, 4.1).
    init?(_ der: [UInt8]) {
        guard let outer = Field(der[...])?.content, var left = Field(outer)?.content else { return nil }
        func take() -> Field? {
            guard let field = Field(left) else { return nil }
            left = left[field.end...]
            return field
        }
        guard var field = take() else { return nil }
        if field.tag == Self.version {
            guard let next = take() else { return nil }
            field = next
        }
        // The fields after the serial number: algorithm, issuer, validity, subject.
        guard take() != nil, let issuer = take(), take() != nil, let subject = take() else { return nil }
        (self.issuer, self.subject) = (issuer.all, subject.all)
    }

    /// The part that the issuer signed, as it is in the certificate; all bytes if this is no certificate.
    static func signedPart(of der: [UInt8]) -> ArraySlice<UInt8> {
        Field(der[...]).flatMap { Field($0.content) }?.all ?? der[...]
    }

    /// The tag of the version field, `[0] EXPLICIT`.
    private static let version: UInt8 = 0xA0

    /// An element with a tag of one byte, a length and a content.
    private struct Field {
        let tag: UInt8
        let all: ArraySlice<UInt8>
        let content: ArraySlice<UInt8>

        var end: Int { all.endIndex }

        /// Enough for any certificate.
        private static let maximumLengthBytes = 4

        /// Reads the first element of `bytes`.
        init?(_ bytes: ArraySlice<UInt8>) {
            guard bytes.count >= 2 else { return nil }
            var (length, start) = (Int(bytes[bytes.startIndex + 1]), bytes.startIndex + 2)
            if length >= 0x80 {
                let count = length & 0x7F
                guard (1...Self.maximumLengthBytes).contains(count), bytes.endIndex - start >= count else { return nil }
                length = bytes[start..<start + count].reduce(0) { $0 << 8 | Int($1) }
                start += count
            }
            guard length <= bytes.endIndex - start else { return nil }
            tag = bytes[bytes.startIndex]
            content = bytes[start..<start + length]
            all = bytes[bytes.startIndex..<start + length]
        }
    }
}
