import ChatelaineModel

/// Base64 (RFC 4648) in which each value has exactly one text: no space, no missing or needless padding, no leftover
/// bits.
package enum Base64 {
    case standard
    /// For URLs, without padding, as all parts of a JWS are written (RFC 7515).
    case url

    private var alphabet: [UInt8] {
        Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
            + Array((self == .url ? "-_" : "+/").utf8)
    }

    package func encode(_ bytes: [UInt8]) -> [UInt8] {
        let alphabet = alphabet
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count / 3 * 4 + 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let word = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for index in 0...group.count { text.append(alphabet[Int(word >> UInt32(18 - 6 * index)) & 63]) }
            if self == .standard { text += [UInt8](repeating: UInt8(ascii: "="), count: 3 - group.count) }
        }
        return text
    }

    /// Nil for text that ``encode(_:)`` would not write.
    package func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var values = [UInt8](repeating: 64, count: 256)
        for (index, character) in alphabet.enumerated() { values[Int(character)] = UInt8(index) }
        var text = Array(text)
        if self == .standard {
            guard text.count % 4 == 0 else { return nil }
            for _ in 0..<2 where text.last == UInt8(ascii: "=") { text.removeLast() }
        }
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 2)
        var (word, bits): (UInt32, UInt32) = (0, 0)
        for character in text {
            let value = values[Int(character)]
            guard value < 64 else { return nil }
            word = word << 6 | UInt32(value)
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: word >> bits))
        }
        guard word & (1 << bits - 1) == 0 else { return nil }
        return bytes
    }
}

extension Bytes32 {
    /// A digest as sha256sum prints it; nil for any other text, including one with capital letters.
    package init?(digest text: String) {
        self.init(hexadecimal: text.utf8)
        guard description.utf8.elementsEqual(text.utf8) else { return nil }
    }
}
