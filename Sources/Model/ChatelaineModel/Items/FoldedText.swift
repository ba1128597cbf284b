/// Text as it is compared where case does not count.
///
/// Each character is made small, large and small again, by Unicode's full mappings: so “ß” is “ss”, “ẞ” too, and all three sigmas are one.
/// That is Unicode's case folding, which knows no language. By it the Turkish “ı” stays another letter than “i”, and “İ” is “i” with a dot above. Nothing
/// but case is levelled: text in another normal form is another text, as everywhere in the Keychain (behaviour/attributes-and-dates.md, 16).
package struct FoldedText: Sendable {
    private static let caseBit: UInt8 = 0x20

    private let bytes: [UInt8]

    package init(_ text: String) { bytes = Self.folded(text) }

    /// Whether a text in UTF-8 differs from this one by case at most; bytes that are no text do.
    package func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.allSatisfy({ $0 < 0x80 }) else {
            return String(validating: text, as: UTF8.self).map { Self.folded($0) == bytes } ?? false
        }
        // The usual case, and without memory of its own: many items are looked at.
        return text.count == bytes.count && zip(text, bytes).allSatisfy { Self.small($0) == $1 }
    }

    private static func small(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | caseBit : byte
    }

    private static func folded(_ text: String) -> [UInt8] {
        var folded: [UInt8] = []
        folded.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            // Its large letter is that of “i”, whose small letter it is not.
            if scalar == "\u{131}" {
                folded += String(scalar).utf8
            } else if scalar.isASCII {
                folded.append(small(UInt8(scalar.value)))
            } else {
                folded += scalar.properties.lowercaseMapping.uppercased().lowercased().utf8
            }
        }
        return folded
    }
}
