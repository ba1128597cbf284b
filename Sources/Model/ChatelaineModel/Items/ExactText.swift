/// Text from other programs, such as a description or a path, that is compared by its bytes.
package struct ExactText: BytewiseText, ExpressibleByStringInterpolation {
    package let text: String

    package init(_ text: String) { self.text = text }

    package init(stringLiteral text: String) { self.text = text }

    /// The longest beginning of a text that has at most `limit` bytes and ends with a whole character.
    package init(_ text: String, limit: Int) {
        guard text.utf8.count > limit else {
            self.text = text
            return
        }
        var (kept, bytes) = (String.UnicodeScalarView(), 0)
        for scalar in text.unicodeScalars {
            bytes += UTF8.width(scalar)
            guard bytes <= limit else { break }
            kept.append(scalar)
        }
        self.text = String(kept)
    }

    var byteCount: Int { text.utf8.count }
}

extension ExactText: CBORValue {
    package func encode(to writer: inout CBORWriter) { writer.write(text) }

    package init(from reader: inout CBORReader) throws(CBORError) { self.init(try reader.readText()) }
}
