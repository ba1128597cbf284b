import ChatelaineMemory

/// Writes bytes in the forms of macOS's command, into memory that wipes itself, since they may be secret.
extension SecretBuffer {
    private static let upperDigits = Array("0123456789ABCDEF".utf8)
    private static let lowerDigits = Array("0123456789abcdef".utf8)

    mutating func append(text: String) { for byte in text.utf8 { append(byte) } }

    /// Writes bytes in quotes if all are printable, and otherwise in hexadecimal.
    ///
    /// If only some are printable, the quoted form follows. No bytes give no text.
    mutating func append(layout bytes: UnsafeRawBufferPointer) {
        let plain = bytes.count { Self.isPlain($0) }
        guard plain < bytes.count else {
            if plain > 0 { append(quoted: bytes) }
            return
        }
        append(text: "0x")
        for byte in bytes { append(byte, Self.upperDigits) }
        append(text: plain > 0 ? "  " : " ")
        if plain > 0 { append(quoted: bytes) }
    }

    /// Writes bytes that are not secret in the same form.
    mutating func append(layout bytes: [UInt8]) { bytes.withUnsafeBytes { append(layout: $0) } }

    /// Writes a secret as `find-generic-password -w` does: as it is, or in hexadecimal if a byte is not printable.
    mutating func append(password bytes: UnsafeRawBufferPointer) {
        guard bytes.allSatisfy(Self.isPrintable) else {
            for byte in bytes { append(byte, Self.lowerDigits) }
            return
        }
        append(bytes)
    }

    private mutating func append(quoted bytes: UnsafeRawBufferPointer) {
        append(UInt8(ascii: "\""))
        for byte in bytes {
            if Self.isPlain(byte) {
                append(byte)
            } else {
                append(UInt8(ascii: "\\"))
                for shift: UInt8 in [6, 3, 0] { append(UInt8(ascii: "0") + (byte >> shift & 7)) }
            }
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func append(_ byte: UInt8, _ digits: [UInt8]) {
        append(digits[Int(byte >> 4)])
        append(digits[Int(byte & 15)])
    }

    private static func isPrintable(_ byte: UInt8) -> Bool { 0x20...0x7E ~= byte }

    /// Whether a byte is shown as itself; a backslash would look like the beginning of an escape.
    private static func isPlain(_ byte: UInt8) -> Bool { isPrintable(byte) && byte != UInt8(ascii: "\\") }
}
