import Crypto
import FoundationEssentials
import JWTKit
import SignatureFormat
import X509

/// Verifies a JWS with a key: jwt-kit does it, over the bytes as received.
enum JWSVerification {
    /// Whether the key of `certificate` signed `jws` with the algorithm of `jws`; nil if the key is of another kind.
    static func verify(_ jws: CompactJWS, by certificate: Certificate) -> Bool? {
        let verified: SignedPayload?
        switch jws.algorithm {
        case .es256:
            guard let key = P256.Signing.PublicKey(certificate.publicKey),
                let key = try? ES256PublicKey(backing: key)
            else { return nil }
            verified = verify(jws.bytes) { keys in await keys.add(ecdsa: key, parser: parser) }
        case .edDSA:
            guard let key = Curve25519.Signing.PublicKey(certificate.publicKey) else { return nil }
            let edDSA = EdDSA.PublicKey(backing: key)
            verified = verify(jws.bytes) { keys in await keys.add(eddsa: edDSA, parser: parser) }
        }
        // The payload that jwt-kit verified must be the bytes that were scanned, whatever another parser reads in the
        // same text.
        return verified?.bytes == jws.payloadBytes
    }

    private static let parser = DefaultJWTParser(jsonDecoder: PayloadBytes())

    /// The signed payload; nil if the signature is wrong.
    private static func verify(
        _ bytes: [UInt8], _ addKey: @escaping @Sendable (JWTKeyCollection) async -> Void
    ) -> SignedPayload? {
        let result: SignedPayload?? = InlineExecutor.run {
            let keys = JWTKeyCollection(defaultJWTParser: parser)
            await addKey(keys)
            return try? await keys.verify(bytes, as: SignedPayload.self)
        }
        return result ?? nil
    }
}

/// A payload as it was signed.
///
/// Only ``JSONScanner`` parses it.
private struct SignedPayload: JWTPayload, Equatable {
    let bytes: [UInt8]

    func verify(using algorithm: some JWTAlgorithm) async throws {}
}

/// Gives jwt-kit the payload's bytes as the payload.
///
/// From the header, which was checked before, jwt-kit reads the algorithm.
private struct PayloadBytes: JWTJSONDecoder {
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        if let payload = SignedPayload(bytes: [UInt8](data)) as? Value { return payload }
        return try JSONDecoder().decode(type, from: data)
    }
}
