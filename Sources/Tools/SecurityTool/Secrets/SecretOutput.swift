import ChatelaineMemory

/// Writes a secret to standard output.
struct SecretOutput {
    let output: Output

    /// Writes exactly the bytes, unless standard output is a terminal.
    ///
    /// A terminal gets a newline after them. It gets `0x…` if they are not readable text, since they could be commands
    /// to the terminal.
    func write(_ secret: SecretBytes) throws {
        guard output.isTerminal else {
            try secret.withUnsafeBytes { try output.write($0) }
            return
        }
        let isReadable = secret.withUnsafeBytes { Printable.isReadable($0) }
        var buffer = SecretBuffer(capacity: secret.count * 2 + 3)
        secret.withUnsafeBytes { bytes in
            if isReadable {
                buffer.append(bytes)
                return
            }
            buffer.append(UInt8(ascii: "0"))
            buffer.append(UInt8(ascii: "x"))
            for byte in bytes {
                buffer.append(Self.digit(byte >> 4))
                buffer.append(Self.digit(byte & 15))
            }
        }
        buffer.append(UInt8(ascii: "\n"))
        try buffer.withUnsafeBytes { try output.write($0) }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
