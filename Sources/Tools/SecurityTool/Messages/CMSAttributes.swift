/// Checks the attributes of a message that formatd wants signed.
///
/// A private key signs any input, and formatd has parsed certificates from outside. So only attributes of the present
/// content are signed (RFC 5652, 5.4), never a certificate or another message.
enum CMSAttributes {
    private enum Tag {
        static let octets: UInt8 = 0x04
        static let sequence: UInt8 = 0x30
        static let set: UInt8 = 0x31
    }

    /// The identifier of `messageDigest` (RFC 5652, 11.2), with its header.
    private static let messageDigest: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 4]
    /// The most bytes of a long length; attributes have some hundred bytes.
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

    /// An element with a length of one byte, which suffices for the longest digest's attribute.
    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag, UInt8(clamping: content.count)] + content
    }

    /// The content of the element at `start`; nil if it does not end within `bytes`.
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
