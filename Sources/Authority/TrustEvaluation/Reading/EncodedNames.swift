/// Where issuer and subject lie in a certificate, of which nothing else is looked at.
///
/// A program may name hundreds of anchors of which one matters, and here no key and no extension is read. Whoever asks may not conclude
/// from different bytes that names differ.
struct EncodedNames {
    /// DER, as it stands there.
    let issuer: ArraySlice<UInt8>
    let subject: ArraySlice<UInt8>

    /// Nil where the outer fields are not those of a certificate (RFC 5280, 4.1).
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
        // After the serial number: algorithm, issuer, validity, subject.
        guard take() != nil, let issuer = take(), take() != nil, let subject = take() else { return nil }
        (self.issuer, self.subject) = (issuer.all, subject.all)
    }

    /// What the issuer has signed, as it stands there; all of what is no certificate.
    static func signedPart(of der: [UInt8]) -> ArraySlice<UInt8> {
        Field(der[...]).flatMap { Field($0.content) }?.all ?? der[...]
    }

    /// `[0] EXPLICIT`.
    private static let version: UInt8 = 0xA0

    /// A tag of one byte, a length, and what is in it.
    private struct Field {
        let tag: UInt8
        let all: ArraySlice<UInt8>
        let content: ArraySlice<UInt8>

        var end: Int { all.endIndex }

        /// More than any certificate has.
        private static let maximumLengthBytes = 4

        /// The first one in `bytes`.
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
