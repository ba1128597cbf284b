import ChatelaineMemory
import ChatelaineModel
import Crypto
import EnclaveProtocol
import Sealing

/// A key of the enclave: P-256, made and used in this process, like the keys of Apple's Secure Enclave.
///
/// A caller can request only the signature of a digest, or the shared secret itself. Everything else is computed
/// outside from these.
struct EnclaveKey {
    static let bits: UInt32 = 256

    private enum Algorithm {
        static let der = "algid:sign:ECDSA:digest-X962"
        static let sideBySide = "algid:sign:ECDSA:digest-RFC4754"
        static let agreement = "algid:keyexchange:ECDH"
    }

    /// In bytes; no digest is longer. The digest is cut to the size of the curve, as in X9.62.
    private static let digestBytes = 1...64

    private let key: P256.Signing.PrivateKey

    init() { key = P256.Signing.PrivateKey() }

    /// - Throws: the cause `unsealable` if `sealed` was not sealed for this place.
    init(opening sealed: [UInt8], at row: RowContext, with rowKey: SecretBytes) throws(KeychainError) {
        let sealing = try SealingKey(rowKey)
        let content = try sealed.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try sealing.open(bytes, as: .secret, keyID: 0, at: row) }
        }.get()
        let key = content.withUnsafeBytes { bytes -> P256.Signing.PrivateKey? in
            guard bytes.first == KeyKind.ec.rawValue else { return nil }
            return try? P256.Signing.PrivateKey(
                x963Representation: UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
        }
        guard let key else { throw KeychainError(cause: .unsealable, "a sealed key of the enclave is none") }
        self.key = key
    }

    func sealed(at row: RowContext, with rowKey: SecretBytes) throws(KeychainError) -> [UInt8] {
        var representation = key.x963Representation
        defer { representation.withUnsafeMutableBytes { ChatelaineMemory.wipe($0) } }
        let content = representation.withUnsafeBytes { representation in
            SecretBytes(count: 1 + representation.count) { content in
                content[0] = KeyKind.ec.rawValue
                UnsafeMutableRawBufferPointer(rebasing: content[1...]).copyMemory(from: representation)
            }
        }
        return try SealingKey(rowKey).seal(content, as: .secret, keyID: 0, at: row)
    }

    var content: KeyContent {
        let publicBytes = key.publicKey.x963Representation.withUnsafeBytes { [UInt8]($0) }
        let label = Insecure.SHA1.hash(data: publicBytes).withUnsafeBytes { [UInt8]($0) }
        return KeyContent(kind: .ec, bits: Self.bits, publicBytes: publicBytes, label: label)
    }

    /// - Throws: `errSecParam` for a task that such a key does not support, and for an invalid public key of the other
    ///   side.
    func result(of task: KeyTask) throws(KeychainError) -> SecretBytes {
        // The library leaves the private number on the stack when it agrees on a secret.
        defer { ChatelaineMemory.wipeStack() }
        switch task {
        case .sign(Algorithm.der, let digest):
            return try signature(of: digest).derRepresentation.withUnsafeBytes { SecretBytes(copying: $0) }
        case .sign(Algorithm.sideBySide, let digest):
            return try signature(of: digest).rawRepresentation.withUnsafeBytes { SecretBytes(copying: $0) }
        case .agree(Algorithm.agreement, let other, _, _): return try secret(with: other)
        default:
            throw KeychainError(
                .param, "a key of the enclave signs digests and agrees on secrets, and does nothing else")
        }
    }

    private func signature(of digest: [UInt8]) throws(KeychainError) -> P256.Signing.ECDSASignature {
        guard Self.digestBytes.contains(digest.count) else {
            throw KeychainError(.param, "a digest has 1 to 64 bytes, and what is to be signed has \(digest.count)")
        }
        do { return try key.signature(for: GivenDigest(bytes: digest)) } catch {
            throw KeychainError(.internalComponent, "a key of the enclave does not sign")
        }
    }

    private func secret(with other: [UInt8]) throws(KeychainError) -> SecretBytes {
        guard let other = try? P256.KeyAgreement.PublicKey(x963Representation: other) else {
            throw KeychainError(.param, "the other's public key is none of P-256")
        }
        var number = key.rawRepresentation
        // Data is not wiped when it is released.
        defer { number.withUnsafeMutableBytes { ChatelaineMemory.wipe($0) } }
        do {
            let own = try P256.KeyAgreement.PrivateKey(rawRepresentation: number)
            return try own.sharedSecretFromKeyAgreement(with: other).withUnsafeBytes { SecretBytes(copying: $0) }
        } catch {
            throw KeychainError(cause: .request, status: .decode, "the keys agree on nothing")
        }
    }
}

/// A digest that the caller computed.
private struct GivenDigest: Digest {
    static let byteCount = 64
    let bytes: [UInt8]

    func withUnsafeBytes<Answer>(_ body: (UnsafeRawBufferPointer) throws -> Answer) rethrows -> Answer {
        try bytes.withUnsafeBytes(body)
    }

    func makeIterator() -> Array<UInt8>.Iterator { bytes.makeIterator() }

    var description: String { "a digest of \(bytes.count) bytes" }
}
