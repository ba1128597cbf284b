import Crypto
import FoundationEssentials
import JWTKit
import SignatureFormat
import X509

/// Whether a JWS is by a key: jwt-kit says it, over the bytes that came.
enum JWSVerification {
    /// Whether `jws` is signed by the key of its algorithm that `certificate` is about; nil where that key is of another kind.
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
        // What jwt-kit has verified is what was scanned, and nothing that another reader makes of the same text.
        return verified?.bytes == jws.payloadBytes
    }

    private static let parser = DefaultJWTParser(jsonDecoder: PayloadBytes())

    /// What was signed; nil where the signature is wrong.
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

/// A payload as it was signed. It is scanned by ``JSONScanner`` and by nothing else.
private struct SignedPayload: JWTPayload, Equatable {
    let bytes: [UInt8]

    func verify(using algorithm: some JWTAlgorithm) async throws {}
}

/// Gives jwt-kit a payload's bytes as the payload. Of the header, which was looked at before, jwt-kit reads the algorithm.
private struct PayloadBytes: JWTJSONDecoder {
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        if let payload = SignedPayload(bytes: [UInt8](data)) as? Value { return payload }
        return try JSONDecoder().decode(type, from: data)
    }
}
