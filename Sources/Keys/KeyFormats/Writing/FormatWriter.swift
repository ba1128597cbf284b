import CKeyFormats
import ChatelaineMemory
import ChatelaineModel

/// Writes keys and certificates in formats of other programs.
package enum FormatWriter {
    /// Iterations of PBKDF2 with SHA-256 for each encrypted part: a fifth of a second, as OWASP recommends for
    /// passwords.
    package static let iterations: Int32 = 600_000

    /// - Throws: ``FormatFailure``.
    package static func write(_ order: ExternalOrder) throws(FormatFailure) -> SecretBytes {
        guard let only = order.items.first else { throw .unsuitableItems }
        let isOne = order.items.count == 1
        switch order.format {
        case .unknown:
            guard !isOne else { return try Piece(only, order.passphrase).written(isArmoured: order.isArmoured) }
            return try sequence(order)
        case .openSSL, .x509:
            guard isOne, order.format == .openSSL || only.kind == .certificate, only.kind != .sessionKey else {
                throw .unsuitableItems
            }
            return try Piece(only, nil).written(isArmoured: order.isArmoured)
        case .wrappedPKCS8, .wrappedOpenSSL:
            guard isOne, only.kind == .privateKey else { throw .unsuitableItems }
            return try Piece(pkcs8: only, order.passphrase).written(isArmoured: order.isArmoured)
        case .bsafe:
            guard isOne else { throw .unsuitableItems }
            return try Piece(bsafe: only).written(isArmoured: order.isArmoured)
        case .pemSequence: return try sequence(order)
        case .pkcs7: return try Piece("PKCS7", bundle(order, nil)).written(isArmoured: order.isArmoured)
        case .pkcs12:
            guard let passphrase = order.passphrase else { throw .passphraseRequired }
            return try Piece("PKCS12", bundle(order, passphrase)).written(isArmoured: order.isArmoured)
        case .openSSH: return try OpenSSHText.text(of: order.items)
        case .rawKey:
            guard isOne, case .sessionKey(let bytes) = only.content else { throw .unsuitableItems }
            return bytes
        case .ssh, .wrappedSSH, .wrappedLSH, .netscape: throw .unsupportedFormat
        }
    }

    /// Writes text with one PEM block for each item.
    private static func sequence(_ order: ExternalOrder) throws(FormatFailure) -> SecretBytes {
        var blocks: [SecretBytes] = []
        for item in order.items { blocks.append(try Piece(item, order.passphrase).written(isArmoured: true)) }
        return .joined(blocks)
    }

    /// Writes PKCS#12 if there is a passphrase, PKCS#7 otherwise.
    private static func bundle(_ order: ExternalOrder, _ passphrase: SecretBytes?) throws(FormatFailure) -> SecretBytes
    {
        guard let bundle = key_formats_bundle_new() else { throw .tooLarge }
        defer { key_formats_bundle_free(bundle) }
        for item in order.items {
            guard passphrase != nil || item.kind == .certificate else { throw .unsuitableItems }
            try FormatFailure.check(
                try item.lent { (item) throws(FormatFailure) in
                    withUnsafePointer(to: item) { key_formats_bundle_add(bundle, $0) }
                })
        }
        guard let passphrase else { return try SecretBytes.written { key_formats_bundle_pkcs7(bundle, $0) } }
        return try passphrase.lent { (passphrase) throws(FormatFailure) in
            try SecretBytes.written { key_formats_bundle_pkcs12(bundle, passphrase, iterations, $0) }
        }
    }
}

/// One item in DER, with its PEM label.
private struct Piece {
    let label: String
    let bytes: SecretBytes

    init(_ label: String, _ bytes: SecretBytes) { (self.label, self.bytes) = (label, bytes) }

    /// - Parameter passphrase: encrypts a private key; nil for none.
    init(_ item: ExternalItem, _ passphrase: SecretBytes?) throws(FormatFailure) {
        switch item.content {
        case .certificate(let der, _): self.init("CERTIFICATE", SecretBytes(der))
        case .publicKey: self.init("PUBLIC KEY", try item.written(KEY_FORMATS_PLAIN, nil))
        case .privateKey(let kind, _):
            guard passphrase == nil else {
                try self.init(pkcs8: item, passphrase)
                return
            }
            let label =
                switch kind {
                case .rsa: "RSA PRIVATE KEY"
                case .ec: "EC PRIVATE KEY"
                case .ed25519, .x25519: "PRIVATE KEY"
                case .aes: throw .unsuitableItems
                }
            self.init(label, try item.written(KEY_FORMATS_PLAIN, nil))
        case .sessionKey: throw .unsuitableItems
        }
    }

    /// Makes a private key in PKCS#8 without encryption, or a public key in PKCS#1, which supports RSA alone.
    init(bsafe item: ExternalItem) throws(FormatFailure) {
        switch item.content {
        case .privateKey: try self.init(pkcs8: item, nil)
        case .publicKey(.rsa, let key): self.init("RSA PUBLIC KEY", SecretBytes(key))
        case .publicKey, .certificate, .sessionKey: throw .unsuitableItems
        }
    }

    init(pkcs8 item: ExternalItem, _ passphrase: SecretBytes?) throws(FormatFailure) {
        self.init(
            passphrase == nil ? "PRIVATE KEY" : "ENCRYPTED PRIVATE KEY", try item.written(KEY_FORMATS_PKCS8, passphrase)
        )
    }

    func written(isArmoured: Bool) -> SecretBytes { isArmoured ? ArmouredBlock.text(label, bytes) : bytes }
}

extension ExternalItem {
    fileprivate func written(_ form: Int, _ passphrase: SecretBytes?) throws(FormatFailure) -> SecretBytes {
        try lent { (item) throws(FormatFailure) in
            try passphrase.lent { (passphrase) throws(FormatFailure) in
                try SecretBytes.written { output in
                    withUnsafePointer(to: item) {
                        key_formats_write_key($0, Int32(form), passphrase, FormatWriter.iterations, output)
                    }
                }
            }
        }
    }

    /// Lends the item to a C function.
    fileprivate func lent<Result>(
        _ body: (key_formats_item) throws(FormatFailure) -> Result
    ) throws(FormatFailure) -> Result {
        var item = key_formats_item()
        item.kind = Int32(kind.rawValue)
        let bytes: SecretBytes
        switch content {
        case .certificate(let der, _): bytes = SecretBytes(der)
        case .privateKey(let kind, let secret): (item.key_kind, bytes) = (kind.number, secret)
        case .publicKey(let kind, let key): (item.key_kind, bytes) = (kind.number, SecretBytes(key))
        case .sessionKey: throw .unsuitableItems
        }
        // Names in PKCS#12 use characters of 16 bits, so other characters are left out.
        let label = String(
            String.UnicodeScalarView((label ?? "").unicodeScalars.filter { $0.value <= 0xFFFF && $0.value > 0 }))
        return try bytes.lent { (bytes) throws(FormatFailure) in
            try SecretBytes(label.utf8).lent { (label) throws(FormatFailure) in
                item.bytes = bytes
                item.label = label
                return try body(item)
            }
        }
    }
}

extension SecretBytes {
    /// The output of a C function.
    static func written(
        _ write: (UnsafeMutablePointer<key_formats_output>) -> Int32
    ) throws(FormatFailure) -> SecretBytes {
        var output = key_formats_output()
        defer { key_formats_free(&output) }
        try FormatFailure.check(write(&output))
        return SecretBytes(copying: UnsafeRawBufferPointer(start: output.bytes, count: output.count))
    }
}
