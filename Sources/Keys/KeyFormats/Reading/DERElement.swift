import ChatelaineModel

/// An element of DER: its tag and the range of its content.
///
/// That is enough to recognise a structure; libcrypto parses it.
struct DERElement {
    enum Tag {
        static let integer: UInt8 = 0x02
        static let bitString: UInt8 = 0x03
        static let octetString: UInt8 = 0x04
        static let identifier: UInt8 = 0x06
        static let sequence: UInt8 = 0x30
    }

    /// The indefinite length of BER, in which a mark ends the content.
    static let openLength: UInt8 = 0x80

    let tag: UInt8
    let content: Range<Int>
    /// The offset after the element.
    let end: Int

    /// The element at `start`; nil if there is none, or it exceeds the limit.
    ///
    /// An indefinite length of BER is treated as reaching to the limit, which is enough to recognise a structure.
    init?(_ bytes: UnsafeRawBufferPointer, at start: Int, before limit: Int) {
        guard limit <= bytes.count, start >= 0, limit - start >= 2 else { return nil }
        tag = bytes[start]
        let first = bytes[start + 1]
        var (length, header) = (Int(first), 2)
        if first == Self.openLength {
            length = limit - start - 2
        } else if first > 0x80 {
            let width = Int(first & 0x7F)
            guard width <= 4, limit - start >= 2 + width else { return nil }
            length = bytes[(start + 2)..<(start + 2 + width)].reduce(0) { $0 << 8 | Int($1) }
            header += width
        }
        guard length <= limit - start - header else { return nil }
        content = (start + header)..<(start + header + length)
        end = content.upperBound
    }

    /// The elements inside, as far as they can be parsed, and at most `most`.
    func parts(_ bytes: UnsafeRawBufferPointer, most: Int) -> [DERElement] {
        var (parts, place) = ([DERElement](), content.lowerBound)
        while parts.count < most, let part = DERElement(bytes, at: place, before: content.upperBound) {
            parts.append(part)
            place = part.end
        }
        return parts
    }
}

/// The kind of a DER structure, recognised by its first elements.
enum DERContent {
    case certificate, pkcs7, pkcs12, pkcs8, encryptedPKCS8, publicKey, rsaPrivateKey, rsaPublicKey, ecPrivateKey

    /// Nil if no known structure begins with these elements.
    init?(_ outer: DERElement, in bytes: UnsafeRawBufferPointer) {
        guard outer.tag == DERElement.Tag.sequence else { return nil }
        let parts = outer.parts(bytes, most: 3)
        guard let first = parts.first else { return nil }
        let second = parts.count > 1 ? parts[1].tag : 0
        let third = parts.count > 2 ? parts[2].tag : 0
        switch (first.tag, second, third) {
        case (DERElement.Tag.identifier, _, _): self = .pkcs7
        case (DERElement.Tag.integer, DERElement.Tag.integer, 0): self = .rsaPublicKey
        case (DERElement.Tag.integer, DERElement.Tag.integer, _): self = .rsaPrivateKey
        case (DERElement.Tag.integer, DERElement.Tag.octetString, _): self = .ecPrivateKey
        case (DERElement.Tag.integer, DERElement.Tag.sequence, DERElement.Tag.octetString): self = .pkcs8
        case (DERElement.Tag.integer, DERElement.Tag.sequence, _): self = .pkcs12
        case (DERElement.Tag.sequence, DERElement.Tag.bitString, _): self = .publicKey
        case (DERElement.Tag.sequence, DERElement.Tag.octetString, _): self = .encryptedPKCS8
        case (DERElement.Tag.sequence, DERElement.Tag.sequence, _): self = .certificate
        default: return nil
        }
    }
}
