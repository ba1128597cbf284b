/// What formatd says is to be signed of a message.
///
/// A private key signs what it is given, and formatd has read certificates of strangers'. So attributes of the content at hand are signed
/// (RFC 5652, 5.4), and nothing else: no certificate, and no other message.
enum CMSAttributes {
    private enum Tag {
        static let octets: UInt8 = 0x04
        static let sequence: UInt8 = 0x30
        static let set: UInt8 = 0x31
    }

    /// The identifier of `messageDigest` (RFC 5652, 11.2), with its header.
    private static let messageDigest: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 4]
    /// Of a length that is told in more than one byte; attributes have some hundred bytes.
    private static let maximumLengthBytes = 3

    /// Whether `bytes` are a set of attributes, one of which is this digest.
    static func are(_ bytes: UnsafeRawBufferPointer, of digest: [UInt8]) -> Bool {
        let value = element(Tag.octets, digest)
        let wanted = element(Tag.sequence, messageDigest + element(Tag.set, value))
        guard bytes.first == Tag.set, let all = content(of: bytes, at: 0), all.upperBound == bytes.count else {
            return false
        }
        var (place, isFound) = (all.lowerBound, false)
        while place < all.upperBound {
            guard bytes[place] == Tag.sequence, let attribute = content(of: bytes, at: place) else { return false }
            isFound = isFound || bytes[place..<attribute.upperBound].elementsEqual(wanted)
            place = attribute.upperBound
        }
        return isFound
    }

    /// One whose length is told in one byte, as that of the longest digest's attribute is.
    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag, UInt8(clamping: content.count)] + content
    }

    /// What is in the element that begins at `start`; nil where it does not end within `bytes`.
    private static func content(of bytes: UnsafeRawBufferPointer, at start: Int) -> Range<Int>? {
        guard bytes.count - start >= 2 else { return nil }
        var (length, place) = (Int(bytes[start + 1]), start + 2)
        if length >= 0x80 {
            let count = length & 0x7F
            guard (1...maximumLengthBytes).contains(count), count <= bytes.count - place else { return nil }
            length = bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
            place += count
        }
        guard length <= bytes.count - place else { return nil }
        return place..<place + length
    }
}
