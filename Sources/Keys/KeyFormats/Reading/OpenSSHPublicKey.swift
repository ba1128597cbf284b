import ChatelaineMemory
import ChatelaineModel

/// Reads public keys in OpenSSH's format: one line each, with kind, base64 and comment (sshd(8), RFC 4253, RFC 5656,
/// RFC 8709).
enum OpenSSHPublicKey {
    enum Kind {
        static let rsa = "ssh-rsa"
        static let ed25519 = "ssh-ed25519"
        static let curves: [(kind: String, curve: String, width: Int)] = [
            ("ecdsa-sha2-nistp256", "nistp256", 32), ("ecdsa-sha2-nistp384", "nistp384", 48),
            ("ecdsa-sha2-nistp521", "nistp521", 66),
        ]
        /// Known kinds of keys that are not supported here.
        static let foreign = ["ssh-dss", "sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com"]
        static var all: [String] { [rsa, ed25519] + curves.map(\.kind) + foreign }
    }

    /// The bytes of a modulus: keys of RSA have 1024 to 8192 bits.
    private static let modulusBytes = 128...1024

    /// Reads all lines; false if the first line is no key.
    static func read(_ text: UnsafeRawBufferPointer, into collector: ItemCollector) throws(FormatFailure) -> Bool {
        var (lines, isKnown) = (TextLines(text), false)
        while let line = lines.next() {
            guard let first = line.first, first != UInt8(ascii: "#") else { continue }
            let words = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: true)
            guard let kind = words.first.map({ String(decoding: $0, as: UTF8.self) }), Kind.all.contains(kind) else {
                if isKnown { throw .damaged }
                return false
            }
            isKnown = true
            guard words.count > 1 else { throw .damaged }
            let blob = try Base64Text.decoded(UnsafeRawBufferPointer(rebasing: words[1]))
            var item = try blob.withUnsafeBytes { bytes in
                Result { () throws(FormatFailure) in
                    var reader = SSHReader(bytes)
                    let item = try key(kind, &reader)
                    guard reader.isAtEnd else { throw .damaged }
                    return item
                }
            }.get()
            if words.count == 3, words[2].count <= FormatLimits.maximumLabelBytes {
                item.label = String(validating: words[2], as: UTF8.self)
            }
            try collector.add(item)
        }
        return isKnown
    }

    /// The key of a blob, which repeats its kind.
    private static func key(_ kind: String, _ reader: inout SSHReader) throws(FormatFailure) -> ExternalItem {
        guard try reader.text() == kind else { throw .damaged }
        if kind == Kind.rsa {
            let (exponent, modulus) = (try reader.number(), try reader.number())
            guard modulusBytes ~= modulus.count, exponent.count <= modulus.count else { throw .unsupportedKey }
            return ExternalItem(
                .publicKey(.rsa, DERWriter.sequence([DERWriter.integer(modulus), DERWriter.integer(exponent)])))
        }
        if kind == Kind.ed25519 {
            let bytes = try reader.bytes()
            guard bytes.count == 32 else { throw .damaged }
            return ExternalItem(.publicKey(.ed25519, [UInt8](bytes)))
        }
        guard let curve = Kind.curves.first(where: { $0.kind == kind }) else { throw .unsupportedKey }
        guard try reader.text() == curve.curve else { throw .damaged }
        let point = try reader.bytes()
        guard point.count == 1 + 2 * curve.width, point.first == 4 else { throw .damaged }
        return ExternalItem(.publicKey(.ec, [UInt8](point)))
    }
}

/// Parses SSH's encoding: lengths of four bytes, followed by the bytes (RFC 4251, section 5).
struct SSHReader {
    private let all: UnsafeRawBufferPointer
    private(set) var place = 0

    init(_ bytes: UnsafeRawBufferPointer) { all = bytes }

    var isAtEnd: Bool { place == all.count }

    mutating func word() throws(FormatFailure) -> UInt32 {
        guard all.count - place >= 4 else { throw .damaged }
        defer { place += 4 }
        return UInt32(bigEndian: all.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    }

    mutating func take(_ count: Int) throws(FormatFailure) -> UnsafeRawBufferPointer {
        guard count <= all.count - place else { throw .damaged }
        defer { place += count }
        return UnsafeRawBufferPointer(rebasing: all[place..<(place + count)])
    }

    mutating func bytes() throws(FormatFailure) -> UnsafeRawBufferPointer { try take(Int(try word())) }

    mutating func text() throws(FormatFailure) -> String { String(decoding: try bytes(), as: UTF8.self) }

    /// A non-negative number without leading zeros.
    mutating func number() throws(FormatFailure) -> UnsafeRawBufferPointer {
        let bytes = try bytes()
        guard bytes.first ?? 0 < 0x80 else { throw .damaged }
        let start = bytes.firstIndex { $0 != 0 } ?? bytes.count
        return UnsafeRawBufferPointer(rebasing: bytes[start...])
    }
}

/// Writes the DER of an RSA public key.
enum DERWriter {
    static func integer(_ number: some Collection<UInt8>) -> [UInt8] {
        let needsZero = number.first.map { $0 >= 0x80 } ?? true
        return element(DERElement.Tag.integer, (needsZero ? [0] : []) + Array(number))
    }

    static func sequence(_ parts: [[UInt8]]) -> [UInt8] { element(DERElement.Tag.sequence, parts.flatMap { $0 }) }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        guard count >= 0x80 else { return [tag, UInt8(count)] + content }
        let length = withUnsafeBytes(of: count.bigEndian) { Array($0.drop { $0 == 0 }) }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
