import ChatelaineModel

/// A JWS in compact serialisation (RFC 7515) whose header contains only its algorithm, type and certificates.
///
/// ``JWSVerification`` decides whether it is genuine.
package struct CompactJWS {
    /// The `typ` of the header, so that one kind never counts as the other.
    package enum Kind: String {
        case signature = "codesig+jws"
        case profile = "profile+jws"
    }

    package enum Algorithm: String {
        /// ECDSA with P-256 and SHA-256.
        case es256 = "ES256"
        /// Ed25519 only (RFC 8037).
        case edDSA = "EdDSA"
    }

    /// The bytes as received; the signature is verified over these.
    package let bytes: [UInt8]
    package let algorithm: Algorithm
    /// DER, the signer's first.
    package let certificates: [[UInt8]]
    /// The text from which ``payload`` was scanned.
    package let payloadBytes: [UInt8]
    package let payload: JSONObject

    package init(_ bytes: [UInt8], as kind: Kind) throws(SignatureFlaw) {
        guard bytes.count <= SignatureLimits.maximumFileBytes else {
            throw SignatureFlaw(.tooLarge, "it has more than \(SignatureLimits.maximumFileBytes) bytes")
        }
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64.url.decode(parts[0]), let payload = Base64.url.decode(parts[1]),
            Base64.url.decode(parts[2]) != nil
        else { throw SignatureFlaw(.malformed, "it is not three parts in base64url with a full stop between them") }
        (algorithm, certificates) = try Self.read(header: header, as: kind)
        guard let object = try JSONScanner.scan(payload).object else {
            throw SignatureFlaw(.malformed, "its payload is no JSON object")
        }
        self.bytes = bytes
        self.payload = object
        payloadBytes = payload
    }

    private static func read(
        header bytes: [UInt8], as kind: Kind
    ) throws(SignatureFlaw) -> (Algorithm, [[UInt8]]) {
        guard let header = try JSONScanner.scan(bytes).object else {
            throw SignatureFlaw(.malformed, "its header is no JSON object")
        }
        if let name = header.stranger(to: ["alg", "typ", "x5c"]) {
            throw SignatureFlaw(.foreignHeader, "its header has the parameter \(name)")
        }
        let name = header["alg"]?.value.string
        guard let name, let algorithm = Algorithm(rawValue: name) else {
            throw SignatureFlaw(.unsupportedAlgorithm, "its algorithm is \(name ?? "missing"), not ES256 or EdDSA")
        }
        guard header["typ"]?.value.string == kind.rawValue else {
            throw SignatureFlaw(.foreignHeader, "its type is not \(kind.rawValue)")
        }
        guard let texts = header["x5c"]?.value.strings, !texts.isEmpty else {
            throw SignatureFlaw(.malformed, "its header has no list of certificates")
        }
        guard texts.count <= SignatureLimits.maximumCertificates else {
            throw SignatureFlaw(
                .tooLarge, "it has \(texts.count) certificates, and may have \(SignatureLimits.maximumCertificates)")
        }
        var certificates: [[UInt8]] = []
        for text in texts {
            guard let certificate = Base64.standard.decode(text.utf8) else {
                throw SignatureFlaw(.malformed, "a certificate in its header is not in base64")
            }
            certificates.append(certificate)
        }
        return (algorithm, certificates)
    }
}
