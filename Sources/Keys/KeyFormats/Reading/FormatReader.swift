import CKeyFormats
import ChatelaineMemory
import ChatelaineModel

/// Detects the format of a file, and reads it.
package struct FormatReader {
    private let passphrase: SecretBytes?
    private let collector = ItemCollector()

    /// - Throws: ``FormatFailure``. A file that is damaged anywhere gives no items.
    package static func read(_ file: ExternalFile) throws(FormatFailure) -> ExternalContent {
        let reader = FormatReader(passphrase: file.passphrase)
        let (format, kind) = try file.bytes.withUnsafeBytes { bytes in
            Result { () throws(FormatFailure) in try reader.read(bytes, as: file) }
        }.get()
        try reader.collector.noteIssuers()
        let content = ExternalContent(format: format, kind: kind, items: reader.collector.items)
        guard file.admits(content) else { throw .unknownFormat }
        return content
    }

    private func read(
        _ bytes: UnsafeRawBufferPointer, as file: ExternalFile
    ) throws(FormatFailure) -> (ExternalFormat, ExternalKind) {
        // Any bytes can be a session key, so a file is read as one only on request.
        if file.format == .rawKey || (file.kind == .sessionKey && file.format == .unknown) {
            guard 1...FormatLimits.maximumSessionKeyBytes ~= bytes.count else { throw .unknownFormat }
            try collector.add(ExternalItem(.sessionKey(SecretBytes(copying: bytes))))
            return (.rawKey, .sessionKey)
        }
        if ArmouredBlock.isArmoured(bytes) { return try readBlocks(bytes) }
        if bytes.first == DERElement.Tag.sequence {
            let format = try readDER(bytes)
            return (format, kind(in: format))
        }
        guard try OpenSSHPublicKey.read(bytes, into: collector) else { throw .unknownFormat }
        return (.openSSH, collector.items.count == 1 ? .publicKey : .aggregate)
    }

    /// The kind of a file with a single piece.
    private func kind(in format: ExternalFormat) -> ExternalKind {
        switch format {
        case .pkcs7, .pkcs12: .aggregate
        default: collector.items.first?.kind ?? .unknown
        }
    }

    // MARK: PEM

    private func readBlocks(_ text: UnsafeRawBufferPointer) throws(FormatFailure) -> (ExternalFormat, ExternalKind) {
        var formats: [ExternalFormat] = []
        var passedOver: FormatFailure?
        for block in try ArmouredBlock.blocks(in: text) {
            do throws(FormatFailure) { formats.append(try readBlock(block)) } catch {
                // Parameters, requests and revocation lists may accompany the wanted items, so they are skipped.
                guard error == .unknownFormat else { throw error }
                passedOver = error
            }
        }
        guard let first = formats.first else { throw passedOver ?? .unknownFormat }
        return formats.count == 1 ? (first, kind(in: first)) : (.pemSequence, .aggregate)
    }

    private func readBlock(_ block: ArmouredBlock) throws(FormatFailure) -> ExternalFormat {
        switch block.label {
        case "OPENSSH PRIVATE KEY":
            try OpenSSHPrivateKey.read(block.content, passphrase: passphrase, into: collector)
            return .openSSH
        case "CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE", "PRIVATE KEY", "ENCRYPTED PRIVATE KEY",
            "PUBLIC KEY",
            "RSA PRIVATE KEY", "RSA PUBLIC KEY", "EC PRIVATE KEY", "PKCS7", "CMS", "PKCS12":
            break
        case "DSA PRIVATE KEY", "DSA PUBLIC KEY": throw .unsupportedKey
        default: throw .unknownFormat
        }
        guard block.header.isEmpty else { return try readEncrypted(block) }
        do throws(FormatFailure) { return try readPlain(block) } catch {
            // A certificate or key that is none was changed. A message may be of another kind.
            throw error == .unknownFormat && !["PKCS7", "CMS"].contains(block.label) ? .damaged : error
        }
    }

    private func readPlain(_ block: ArmouredBlock) throws(FormatFailure) -> ExternalFormat {
        try block.content.withUnsafeBytes { bytes in
            Result { () throws(FormatFailure) in
                // OpenSSL appends its trust settings to the certificate.
                if block.label == "TRUSTED CERTIFICATE", let outer = DERElement(bytes, at: 0, before: bytes.count) {
                    return try readDER(UnsafeRawBufferPointer(rebasing: bytes[..<outer.end]))
                }
                return try readDER(bytes)
            }
        }.get()
    }

    /// Reads a block in OpenSSL's PEM encryption from before PKCS#8, which other programs still use.
    private func readEncrypted(_ block: ArmouredBlock) throws(FormatFailure) -> ExternalFormat {
        var header = block.header.map { CChar(bitPattern: $0) } + [0]
        var (code, count) = (Int32(0), block.content.count)
        let plain = try passphrase.lent { (passphrase) throws(FormatFailure) in
            SecretBytes(count: count) { bytes in
                block.content.withUnsafeBytes { bytes.copyMemory(from: $0) }
                code = key_formats_decrypt_pem(
                    &header, passphrase, bytes.bindMemory(to: UInt8.self).baseAddress, &count)
            }
        }
        try FormatFailure.check(code)
        do throws(FormatFailure) {
            _ = try plain.withUnsafeBytes { bytes in
                Result { () throws(FormatFailure) in
                    try readDER(UnsafeRawBufferPointer(rebasing: bytes[..<min(count, bytes.count)]))
                }
            }.get()
        } catch {
            // The padding is the only check in this format, and one wrong passphrase in 256 passes it.
            throw error == .damaged || error == .unknownFormat ? .wrongPassphrase : error
        }
        return .wrappedOpenSSL
    }

    // MARK: DER

    private func readDER(_ file: UnsafeRawBufferPointer) throws(FormatFailure) -> ExternalFormat {
        guard let outer = DERElement(file, at: 0, before: file.count) else { throw .damaged }
        guard let content = DERContent(outer, in: file) else { throw .unknownFormat }
        // An editor may have added line feeds. Any other trailing bytes make the file damaged, so that nothing is
        // ignored unread.
        guard file[outer.end...].allSatisfy({ $0 == 0x0A || $0 == 0x0D }) else { throw .damaged }
        let bytes = UnsafeRawBufferPointer(rebasing: file[..<outer.end])
        try bytes.lent { (bytes) throws(FormatFailure) in
            try passphrase.lent { (passphrase) throws(FormatFailure) in
                try collector.collect { found, context in
                    switch content {
                    case .certificate: key_formats_read_certificate(bytes, found, context)
                    case .pkcs7: key_formats_read_pkcs7(bytes, found, context)
                    case .pkcs12: key_formats_read_pkcs12(bytes, passphrase, found, context)
                    case .pkcs8: key_formats_read_pkcs8(bytes, found, context)
                    case .encryptedPKCS8: key_formats_read_encrypted_pkcs8(bytes, passphrase, found, context)
                    case .publicKey: key_formats_read_public(0, bytes, found, context)
                    case .rsaPrivateKey: key_formats_read_private(Int32(KEY_FORMATS_RSA), bytes, found, context)
                    case .rsaPublicKey: key_formats_read_public(Int32(KEY_FORMATS_RSA), bytes, found, context)
                    case .ecPrivateKey: key_formats_read_private(Int32(KEY_FORMATS_EC), bytes, found, context)
                    }
                }
            }
        }
        return content.format
    }
}

extension DERContent {
    fileprivate var format: ExternalFormat {
        switch self {
        case .certificate: .x509
        case .pkcs7: .pkcs7
        case .pkcs12: .pkcs12
        case .encryptedPKCS8: .wrappedPKCS8
        case .pkcs8, .publicKey, .rsaPrivateKey, .rsaPublicKey, .ecPrivateKey: .openSSL
        }
    }
}

extension ExternalFile {
    /// Whether the content has the declared format and kind.
    ///
    /// The name of a family of formats admits each of its members.
    fileprivate func admits(_ content: ExternalContent) -> Bool {
        let isFormat =
            switch format {
            case .unknown: true
            case .openSSL, .bsafe, .wrappedOpenSSL, .wrappedPKCS8:
                [.openSSL, .wrappedOpenSSL, .wrappedPKCS8, .x509].contains(content.format)
            case .pemSequence: [.pemSequence, .x509, .openSSL, .wrappedPKCS8, .wrappedOpenSSL].contains(content.format)
            default: content.format == format
            }
        return isFormat && admitsKind(of: content)
    }

    /// Whether the content has the declared kind.
    ///
    /// Scripts declare one kind of what a PKCS#12 file has, and mean the whole file: `SecPKCS12Import`, by which macOS
    /// reads such a file, takes no kind.
    private func admitsKind(of content: ExternalContent) -> Bool {
        switch kind {
        case .unknown, content.kind: true
        case .aggregate: !content.items.isEmpty
        default: content.format == .pkcs12
        }
    }
}
