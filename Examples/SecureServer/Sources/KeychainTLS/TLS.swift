import NIOSSL

/// What server and client agree on beforehand.
public enum TLS {
    /// Those with fresh keys for each connection. The private key signs, and nothing that is recorded is ever opened
    /// with it.
    public static let suites: [NIOTLSCipher] = [
        .TLS_AES_128_GCM_SHA256, .TLS_AES_256_GCM_SHA384, .TLS_CHACHA20_POLY1305_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    ]

    public static func server(_ identity: KeychainIdentity) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try identity.chain, privateKey: identity.privateKey)
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = suites
        // Whoever connects has to show a certificate; ``PeerTrust`` judges it.
        configuration.certificateVerification = .noHostnameVerification
        return try NIOSSLContext(configuration: configuration)
    }

    /// - Parameter identity: nil for a client that has none to show.
    public static func client(_ identity: KeychainIdentity?, newest version: TLSVersion) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.maximumTLSVersion = version
        configuration.cipherSuiteValues = suites
        if let identity {
            configuration.certificateChain = try identity.chain
            configuration.privateKey = identity.privateKey
        }
        return try NIOSSLContext(configuration: configuration)
    }
}
