/// Text whose equality, hash and order are those of its bytes.
///
/// Swift's `String` takes "é" as one character and "é" as "e" with an accent for the same text. To the kernel these are two
/// names, and to our digests two values: what decides who may see what is never compared as a `String`.
package protocol BytewiseText: Hashable, Comparable, Sendable, CustomStringConvertible {
    var text: String { get }
}

extension BytewiseText {
    package static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    package static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // Ends the text, so that what is hashed after it cannot be taken for a part of it.
        hasher.combine(0xFF as UInt8)
    }

    package var description: String { text }
}
