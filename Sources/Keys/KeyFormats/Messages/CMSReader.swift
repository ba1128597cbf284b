import CKeyFormats
import ChatelaineMemory
import ChatelaineModel

/// Reads signed and enveloped CMS messages.
///
/// Signatures are verified here; the trust of certificates is decided elsewhere.
package enum CMSReader {
    /// - Throws: ``FormatFailure``. A message that is damaged anywhere gives no content.
    package static func read(_ message: CMSMessage) throws(FormatFailure) -> CMSContent {
        try message.bytes.withUnsafeBytes { bytes in
            Result { () throws(FormatFailure) -> CMSContent in
                guard ArmouredBlock.isArmoured(bytes) else { return try read(trimmed(bytes), message) }
                let blocks = try ArmouredBlock.blocks(in: bytes)
                guard let block = blocks.first, blocks.count == 1, block.header.isEmpty,
                    ["CMS", "PKCS7"].contains(block.label)
                else { throw .unknownFormat }
                return try block.content.withUnsafeBytes { bytes in
                    Result { () throws(FormatFailure) in try read(bytes, message) }
                }.get()
            }
        }.get()
    }

    /// The message without line feeds that an editor appended.
    ///
    /// A message of indefinite length ends in zero bytes.
    private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard let outer = DERElement(bytes, at: 0, before: bytes.count), bytes.count > 1 else { return bytes }
        let end = bytes[1] == DERElement.openLength ? (bytes.lastIndex(of: 0) ?? bytes.count - 1) + 1 : outer.end
        guard bytes[end...].allSatisfy({ $0 == 0x0A || $0 == 0x0D }) else { return bytes }
        return UnsafeRawBufferPointer(rebasing: bytes[..<end])
    }

    private static func read(
        _ bytes: UnsafeRawBufferPointer, _ message: CMSMessage
    ) throws(FormatFailure) -> CMSContent {
        try bytes.lent { (bytes) throws(FormatFailure) in
            switch Int(key_formats_message_kind(bytes)) {
            case KEY_FORMATS_SIGNED:
                return try collected(.signed, bytes, message) { key_formats_read_signed($0, $1) }
            case KEY_FORMATS_ENVELOPED:
                guard let key = message.key else {
                    return try collected(.enveloped, bytes, message) { key_formats_read_enveloped($0, $1) }
                }
                let collector = CMSCollector(.enveloped)
                try key.bytes.lent { (key) throws(FormatFailure) in
                    try collector.collect {
                        key_formats_open_enveloped(bytes, Int(clamping: message.key?.recipient ?? 0), key, $0)
                    }
                }
                return collector.content
            default: throw .unknownFormat
            }
        }
    }

    private static func collected(
        _ kind: CMSContent.Kind, _ bytes: key_formats_bytes, _ message: CMSMessage,
        _ read: (UnsafePointer<key_formats_message>, UnsafePointer<key_formats_listener>) -> Int32
    ) throws(FormatFailure) -> CMSContent {
        let collector = CMSCollector(kind)
        try message.content.lent { (content) throws(FormatFailure) in
            try message.certificates.lent { (certificates) throws(FormatFailure) in
                var given = key_formats_message(
                    bytes: bytes, content: content, certificates: certificates.baseAddress,
                    certificate_count: certificates.count)
                try collector.collect { read(&given, $0) }
            }
        }
        return collector.content
    }
}

/// Collects the parts of a message that the C functions report.
private final class CMSCollector {
    private(set) var content: CMSContent
    /// The size of the certificates and recipient parts so far, in bytes.
    private var bytes = 0

    init(_ kind: CMSContent.Kind) { content = CMSContent(kind) }

    func collect(_ read: (UnsafePointer<key_formats_listener>) -> Int32) throws(FormatFailure) {
        var listener = key_formats_listener()
        // SAFETY: the collector lives until `read` is over, and nobody calls back afterwards.
        listener.context = Unmanaged.passUnretained(self).toOpaque()
        listener.certificate = { context, der in
            CMSCollector.told(context) { (collector) throws(FormatFailure) in try collector.add(certificate: der) }
        }
        listener.signer = { context, signer in
            CMSCollector.told(context) { (collector) throws(FormatFailure) in try collector.add(signer?.pointee) }
        }
        listener.recipient = { context, recipient in
            CMSCollector.told(context) { (collector) throws(FormatFailure) in try collector.add(recipient?.pointee) }
        }
        listener.content = { context, content in
            CMSCollector.told(context) { (collector) throws(FormatFailure) in
                collector.content.content = SecretBytes(copying: content.buffer)
            }
        }
        try FormatFailure.check(read(&listener))
    }

    private static func told(
        _ context: UnsafeMutableRawPointer?, _ take: (CMSCollector) throws(FormatFailure) -> Void
    ) -> Int32 {
        guard let context else { return Int32(KEY_FORMATS_DAMAGED) }
        do throws(FormatFailure) {
            // SAFETY: it is the collector that `collect` keeps alive.
            try take(Unmanaged<CMSCollector>.fromOpaque(context).takeUnretainedValue())
            return Int32(KEY_FORMATS_OK)
        } catch { return Int32(error.rawValue) }
    }

    private func add(certificate der: key_formats_bytes) throws(FormatFailure) {
        guard content.certificates.count < CMSLimits.maximumCertificates else { throw .tooManyItems }
        content.certificates.append(try certificate(der))
    }

    private func add(_ signer: key_formats_signer?) throws(FormatFailure) {
        guard let signer, let status = CMSSigner.Status(rawValue: UInt8(clamping: signer.status)) else {
            throw .damaged
        }
        guard content.signers.count < CMSLimits.maximumSigners else { throw .tooManyItems }
        content.signers.append(
            CMSSigner(
                status, certificate: signer.certificate.bytes == nil ? nil : try certificate(signer.certificate),
                digest: CMSDigest(rawValue: UInt8(clamping: signer.digest)),
                signingTime: signer.has_time == 0 ? nil : signer.time))
    }

    /// Checks the size of a certificate.
    ///
    /// A repeated certificate counts again, because the answer contains it again.
    private func certificate(_ der: key_formats_bytes) throws(FormatFailure) -> [UInt8] {
        bytes += der.count
        guard der.count <= FormatLimits.maximumCertificateBytes, bytes <= CMSCollector.maximumBytes else {
            throw .tooLarge
        }
        return [UInt8](der.buffer)
    }

    /// The limit for all of them: with the largest content, the answer still has room for so many bytes.
    private static let maximumBytes = FormatLimits.maximumFileBytes / 2

    private func add(_ recipient: key_formats_recipient?) throws(FormatFailure) {
        guard let recipient, let method = CMSRecipient.Method(rawValue: UInt8(clamping: recipient.method)) else {
            throw .damaged
        }
        guard content.recipients.count < CMSLimits.maximumRecipients else { throw .tooManyItems }
        var told = CMSRecipient(
            UInt64(recipient.number), certificate: UInt64(recipient.certificate), method,
            digest: CMSDigest(rawValue: UInt8(clamping: recipient.digest)),
            encrypted: try part(recipient.encrypted))
        (told.publicKey, told.info) = (try part(recipient.public_key), try part(recipient.info))
        told.keyBytes = UInt64(recipient.key_bytes)
        content.recipients.append(told)
    }

    private func part(_ part: key_formats_bytes) throws(FormatFailure) -> [UInt8] {
        bytes += part.count
        guard part.count <= CMSLimits.maximumRecipientBytes, bytes <= CMSCollector.maximumBytes else {
            throw .tooLarge
        }
        return [UInt8](part.buffer)
    }
}
