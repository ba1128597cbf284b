import ChatelaineMemory

/// Bytes as macOS's command prints them, in memory that wipes itself, since they may be a secret's.
extension SecretBuffer {
    private static let upperDigits = Array("0123456789ABCDEF".utf8)
    private static let lowerDigits = Array("0123456789abcdef".utf8)

    mutating func append(text: String) { for byte in text.utf8 { append(byte) } }

    /// In quotes where all of it can be printed; else in hexadecimal, and where some of it can be printed in quotes besides. Nothing of no bytes.
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

    /// The same of bytes that are no secret.
    mutating func append(layout bytes: [UInt8]) { bytes.withUnsafeBytes { append(layout: $0) } }

    /// As `find-generic-password -w` prints a secret: as it is, or in hexadecimal where a single byte cannot be printed.
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

    /// A backslash would look like the beginning of an escape.
    private static func isPlain(_ byte: UInt8) -> Bool { isPrintable(byte) && byte != UInt8(ascii: "\\") }
}
