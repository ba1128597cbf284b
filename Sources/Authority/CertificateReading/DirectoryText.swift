import SwiftASN1

extension ASN1Node {
    /// The text of a string of any ASN.1 type.
    ///
    /// Nil for other types, for bytes that are no text of the type, and for text with a zero in it, where some readers
    /// stop.
    var text: String? {
        guard let bytes else { return nil }
        let text: String? =
            switch identifier {
            case .utf8String: String(validating: bytes, as: UTF8.self)
            case .printableString, .ia5String, .visibleString, .numericString:
                bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
            // T.61 has shifts that nobody uses; all readers treat it as Latin-1.
            case .teletexString: String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
            case .bmpString: Self.wide(bytes, 2)
            case .universalString: Self.wide(bytes, 4)
            default: nil
            }
        return text.flatMap { $0.unicodeScalars.contains("\0") ? nil : $0 }
    }

    /// Decodes characters of `width` bytes each, with the highest byte first.
    private static func wide(_ bytes: ArraySlice<UInt8>, _ width: Int) -> String? {
        guard bytes.count % width == 0 else { return nil }
        var text = String.UnicodeScalarView()
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let number = bytes[index..<index + width].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
            guard let scalar = Unicode.Scalar(number) else { return nil }
            text.append(scalar)
            index += width
        }
        return String(text)
    }
}
