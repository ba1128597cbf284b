/// Text for comparisons in which case does not count.
///
/// Each character is lowercased, uppercased and lowercased again by Unicode's full mappings. So “ß” and “ẞ” are “ss”,
/// and all three sigmas are one. This equals Unicode's case folding, which knows no language: the Turkish “ı” differs
/// from “i”, and “İ” is “i” with a dot above. Only case is levelled. Text in another normal form is another text, as
/// everywhere in the Keychain (behaviour/attributes-and-dates.md, 16).
package struct FoldedText: Sendable {
    private static let caseBit: UInt8 = 0x20

    private let bytes: [UInt8]

    package init(_ text: String) { bytes = Self.folded(text) }

    /// Whether a text in UTF-8 equals this one apart from case; false for bytes that are not UTF-8.
    package func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.allSatisfy({ $0 < 0x80 }) else {
            return String(validating: text, as: UTF8.self).map { Self.folded($0) == bytes } ?? false
        }
        // The usual case allocates no memory, because a search compares many items.
        return text.count == bytes.count && zip(text, bytes).allSatisfy { Self.small($0) == $1 }
    }

    private static func small(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | caseBit : byte
    }

    private static func folded(_ text: String) -> [UInt8] {
        var folded: [UInt8] = []
        folded.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            // The uppercase of “ı” is that of “i”, which is another letter.
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
