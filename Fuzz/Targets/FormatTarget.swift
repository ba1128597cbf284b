import ChatelaineMemory
import ChatelaineModel

@testable import KeyFormats

/// Files of keys and certificates, as they come. What is read is within its limits, and can be written and read again.
enum FormatTarget {
    private static let isStarted: Bool = (try? KeyFormats.start()) != nil

    static func run(_ bytes: UnsafeRawBufferPointer) {
        precondition(isStarted, "libcrypto does not start")
        check(ExternalFile(SecretBytes(copying: bytes)))
        let message = SecretBytes(copying: bytes)
        check(CMSMessage(message, certificates: FuzzCertificates.all))
        check(CMSMessage(message, content: SecretBytes("text\n".utf8), certificates: FuzzCertificates.all))
        // Keys that fit a cipher, and some that fit none.
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

    /// Under a passphrase. Deriving a key takes longer than all else, so that what demands much of it is passed over.
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
            // Whether a point lies on its curve is for the reader of keys to say.
            _ = try? FormatWriter.write(ExternalOrder([item], format: .openSSL))
        }
    }

    /// Any number of three or four bytes, and each of two beyond some thousands, may be one of iterations.
    private static func demandsMuch(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count > 4 else { return false }
        for place in 0..<(bytes.count - 4) where bytes[place] == 2 {
            if 3...5 ~= bytes[place + 1] { return true }
            if bytes[place + 1] == 2, bytes[place + 2] > 0x10 { return true }
        }
        return false
    }
}
