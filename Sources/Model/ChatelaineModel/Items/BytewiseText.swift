import Glibc

/// Text whose equality, hash and order are those of its bytes.
///
/// Swift's `String` equates "é" as one character with "e" and a combining accent. The kernel takes them as two names,
/// and our digests as two values. So text that decides about access is never compared as a `String`.
package protocol BytewiseText: Hashable, Comparable, Sendable, CustomStringConvertible {
    var text: String { get }
}

extension BytewiseText {
    package static func == (left: Self, right: Self) -> Bool {
        var (left, right) = (left.text, right.text)
        // Not by elements, which takes a call for each byte where the code is not optimised.
        return left.withUTF8 { left in
            right.withUTF8 { right in
                guard left.count == right.count else { return false }
                guard let start = left.baseAddress, let other = right.baseAddress else { return true }
                // SAFETY: both buffers have this many bytes.
                return memcmp(start, other, left.count) == 0
            }
        }
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // This byte ends the text, so that nothing hashed after it passes for a part of the text.
        hasher.combine(0xFF as UInt8)
    }

    package var description: String { text }
}
