import ChatelaineModel

/// Apple's words for the formats of files, and for their content.
enum FormatWords {
    private static let formats: [(String, ExternalFormat)] = [
        ("openssl", .openSSL), ("openssh1", .ssh), ("openssh2", .openSSH), ("bsafe", .bsafe), ("raw", .rawKey),
        ("pkcs7", .pkcs7), ("pkcs8", .wrappedPKCS8), ("pkcs12", .pkcs12), ("netscape", .netscape), ("x509", .x509),
        ("pemseq", .pemSequence),
    ]
    private static let kinds: [(String, ExternalKind)] = [
        ("pub", .publicKey), ("priv", .privateKey), ("session", .sessionKey), ("cert", .certificate),
        ("agg", .aggregate),
    ]

    /// - Throws: ``MacUsage`` for an unknown word, and for a format that cannot be wrapped.
    static func format(_ arguments: MacArguments) throws(MacUsage) -> ExternalFormat {
        var format = ExternalFormat.unknown
        if let word = arguments.value(of: "f") {
            guard let found = formats.first(where: { $0.0 == word })?.1 else { throw MacUsage("\(word) is no format") }
            format = found
        }
        guard arguments.has("w") else { return format }
        switch format {
        case .unknown, .openSSL, .openSSH: return .wrappedOpenSSL
        case .ssh: return .wrappedSSH
        // Under a passphrase it encrypts each private key.
        case .wrappedPKCS8, .pemSequence: return format
        default: throw MacUsage("keys are not wrapped in that format")
        }
    }

    static func kind(_ arguments: MacArguments) throws(MacUsage) -> ExternalKind {
        guard let word = arguments.value(of: "t") else { return .unknown }
        guard let kind = kinds.first(where: { $0.0 == word })?.1 else { throw MacUsage("\(word) is no kind of item") }
        return kind
    }
}
