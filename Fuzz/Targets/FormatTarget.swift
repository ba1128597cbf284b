import ChatelaineMemory
import ChatelaineModel

@testable import KeyFormats

/// Reads files of keys and certificates; what it read must be within the limits, and survive writing and reading again.
enum FormatTarget {
    private static let isStarted: Bool = (try? KeyFormats.start()) != nil

    static func run(_ bytes: UnsafeRawBufferPointer) {
        precondition(isStarted, "libcrypto does not start")
        check(ExternalFile(SecretBytes(copying: bytes)))
        let message = SecretBytes(copying: bytes)
        check(CMSMessage(message, certificates: FuzzCertificates.all))
        check(CMSMessage(message, content: SecretBytes("text\n".utf8), certificates: FuzzCertificates.all))
        // Lengths of keys that fit a cipher, and some that fit none.
        for count in [0, 16, 24, 32, 65] {
            for recipient in 0..<2 {
                let key = CMSKey(of: UInt64(recipient), SecretBytes([UInt8](repeating: 7, count: count)))
                _ = try? CMSReader.read(CMSMessage(message, key: key))
            }
        }
    }

    private static func check(_ message: CMSMessage) {
        guard let content = try? CMSReader.read(message) else { return }
        precondition(content.signers.count <= CMSLimits.maximumSigners, "too many signers")
        precondition(
            content.signers.allSatisfy { $0.status != .good || $0.certificate != nil }, "nobody\u{2019}s signature")
        precondition(
            content.recipients.allSatisfy { $0.certificate < UInt64(message.certificates.count) },
            "a recipient that was not asked about")
    }

    /// Reads a file under a passphrase. Skips files that demand many iterations, since deriving their key would take
    /// too long.
    static func runBundle(_ bytes: UnsafeRawBufferPointer) {
        precondition(isStarted, "libcrypto does not start")
        guard !demandsMuch(bytes) else { return }
        check(ExternalFile(SecretBytes(copying: bytes), passphrase: SecretBytes("password".utf8)))
    }

    private static func check(_ file: ExternalFile) {
        guard let content = try? FormatReader.read(file) else { return }
        precondition(content.items.count <= FormatLimits.maximumItems, "too many things")
        for item in content.items {
            precondition(item.label?.utf8.count ?? 0 <= FormatLimits.maximumLabelBytes, "a long name")
            precondition(item.issuer ?? 0 < UInt64(content.items.count), "an issuer that is not there")
            guard case .publicKey(.ec, _) = item.content else { continue }
            // Writing may fail: only the reader of keys checks that a point is on its curve.
            _ = try? FormatWriter.write(ExternalOrder([item], format: .openSSL))
        }
    }

    /// Whether a DER integer may be a large count of iterations: three to five bytes, or two bytes from 0x1100 on.
    private static func demandsMuch(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count > 4 else { return false }
        for place in 0..<(bytes.count - 4) where bytes[place] == 2 {
            if 3...5 ~= bytes[place + 1] { return true }
            if bytes[place + 1] == 2, bytes[place + 2] > 0x10 { return true }
        }
        return false
    }
}
