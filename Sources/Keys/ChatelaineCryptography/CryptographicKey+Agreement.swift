import CChatelaineCrypto
import ChatelaineMemory
import ChatelaineModel

/// Key agreement (behaviour/keys-in-memory.md, 13): X9.63 and SEC 1 on elliptic curves, RFC 7748 with X25519.
extension CryptographicKey {
    package func agrees(by algorithm: KeyAlgorithm) -> Bool {
        guard case .keyExchange(_, let isCofactor) = algorithm else { return false }
        return kind == .ec || kind == .x25519 && !isCofactor
    }

    /// The shared secret, or bytes derived from it.
    ///
    /// - Parameters:
    ///   - other: a public key of the same kind and curve.
    ///   - size: the number of derived bytes; ignored without a derivation.
    ///   - info: additional input of the derivation.
    /// - Throws: `errSecParam` for another algorithm, another kind of key, or a public key in place of the private one.
    ///   Also for a size of zero or of more than ``X963KeyDerivation/mostBytes``, and for more than
    ///   ``X963KeyDerivation/mostHashedBytes``.
    package func secret(
        with other: CryptographicKey, by algorithm: KeyAlgorithm, size: Int = 0, info: [UInt8] = []
    ) throws(KeychainError) -> SecretBytes {
        guard isPrivate, case .keyExchange(let digest, _) = algorithm, agrees(by: algorithm), other.kind == kind else {
            throw Self.notForThisKey
        }
        let secret = try CryptographyFailure.secret(Int(CHATELAINE_BLOCK_BYTES), "agreeing on a key") { result, count in
            chatelaine_key_agree(handle, other.handle, result, count)
        }
        guard let digest else { return secret }
        return try X963KeyDerivation.key(secret, digest, count: size, info: info)
    }
}

/// Derives keys from a shared secret (ANSI X9.63, 5.6.3; SEC 1, 3.6.1).
package enum X963KeyDerivation {
    /// Far above the length of any key.
    package static let mostBytes = 64 * 1024
    /// The most bytes that one derivation hashes, which takes some hundredths of a second.
    ///
    /// Each piece of the result, of a digest's length, costs a hash of the secret and all of the additional input. So
    /// the longest result with the longest input would cost 214 MB. The longest result with an input of a kilobyte is
    /// below this limit, and so are several long keys with the longest input.
    package static let mostHashedBytes = 4 * 1024 * 1024

    package static func key(
        _ secret: SecretBytes, _ digest: KeyDigest, count: Int, info: [UInt8]
    ) throws(KeychainError) -> SecretBytes {
        guard 1...mostBytes ~= count else {
            throw KeychainError(.param, "1 to \(mostBytes) bytes can be derived from a shared secret, and not \(count)")
        }
        let number = (count + digest.byteCount - 1) / digest.byteCount
        let (hashed, isTooMuch) = number.multipliedReportingOverflow(by: secret.count + 4 + info.count)
        guard !isTooMuch, hashed <= mostHashedBytes else {
            throw KeychainError(
                .param,
                "\(count) bytes of a key with \(info.count) bytes of shared information take too much hashing; the limit is \(mostHashedBytes) bytes"
            )
        }
        var blocks: [SecretBytes] = []
        for number in 1...UInt32(number) {
            let block = SecretBytes(count: secret.count + 4 + info.count) { block in
                secret.withUnsafeBytes { block.copyMemory(from: $0) }
                withUnsafeBytes(of: number.bigEndian) {
                    UnsafeMutableRawBufferPointer(rebasing: block[secret.count...]).copyMemory(from: $0)
                }
                UnsafeMutableRawBufferPointer(rebasing: block[(secret.count + 4)...]).copyBytes(from: info)
            }
            blocks.append(try digest.digest(of: block))
        }
        return SecretBytes(count: count) { result in
            for (index, block) in blocks.enumerated() {
                let rest = UnsafeMutableRawBufferPointer(rebasing: result[(index * digest.byteCount)...])
                block.withUnsafeBytes { rest.copyBytes(from: $0.prefix(rest.count)) }
            }
        }
    }
}
