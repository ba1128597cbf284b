import ChatelaineMemory
import ChatelaineModel

/// Writes public keys in OpenSSH's format, one line each.
enum OpenSSHText {
    static func text(of items: [ExternalItem]) throws(FormatFailure) -> SecretBytes {
        var lines: [UInt8] = []
        for item in items { lines += try line(item) }
        return SecretBytes(lines)
    }

    private static func line(_ item: ExternalItem) throws(FormatFailure) -> [UInt8] {
        guard case .publicKey(let kind, let bytes) = item.content else { throw .unsuitableItems }
        var (name, parts) = ("", [[UInt8]]())
        switch kind {
        case .rsa:
            (name, parts) = (OpenSSHPublicKey.Kind.rsa, try numbers(bytes))
        case .ed25519: (name, parts) = (OpenSSHPublicKey.Kind.ed25519, [bytes])
        case .ec:
            guard let curve = OpenSSHPublicKey.Kind.curves.first(where: { 1 + 2 * $0.width == bytes.count }) else {
                throw .unsuitableItems
            }
            (name, parts) = (curve.kind, [Array(curve.curve.utf8), bytes])
        case .x25519, .aes: throw .unsuitableItems
        }
        let blob = ([Array(name.utf8)] + parts).flatMap { part in
            withUnsafeBytes(of: UInt32(part.count).bigEndian) { [UInt8]($0) } + part
        }
        let encoded = blob.withUnsafeBytes { Base64Text.encoded($0) }
        // A comment is the rest of the line, so it must not contain a line feed.
        let comment = (item.label ?? "").utf8.filter { $0 >= 0x20 && $0 != 0x7F }
        return Array(name.utf8) + [0x20] + encoded.withUnsafeBytes { [UInt8]($0) }
            + (comment.isEmpty ? [] : [0x20] + comment) + [0x0A]
    }

    /// Exponent and modulus from PKCS#1, whose leading bytes already have the form that SSH needs.
    private static func numbers(_ key: [UInt8]) throws(FormatFailure) -> [[UInt8]] {
        try key.withUnsafeBytes { bytes in
            Result { () throws(FormatFailure) in
                guard let outer = DERElement(bytes, at: 0, before: bytes.count) else { throw .unsuitableItems }
                let parts = outer.parts(bytes, most: 2)
                guard parts.count == 2, parts.allSatisfy({ $0.tag == DERElement.Tag.integer }) else {
                    throw .unsuitableItems
                }
                return [[UInt8](bytes[parts[1].content]), [UInt8](bytes[parts[0].content])]
            }
        }.get()
    }
}
