import ChatelaineModel

/// An operation of a key, parsed from the name in Apple's constants (`SecKeyAlgorithm`).
package enum KeyAlgorithm: Hashable, Sendable {
    /// The padding of a block that RSA signs.
    package enum SignaturePadding: Hashable, Sendable { case none, pkcs1, pss }
    /// The encoding of the two numbers of an EC signature: as DER, or side by side (RFC 4754).
    package enum SignatureEncoding: Hashable, Sendable { case x962, rfc4754 }

    /// - Parameter digest: nil if the data are the block itself, or the content that is padded.
    case rsaSignature(SignaturePadding, KeyDigest?, isMessage: Bool)
    /// - Parameter digest: nil for a digest of any length.
    case ecSignature(SignatureEncoding, KeyDigest?, isMessage: Bool)
    /// A signature of a message with Ed25519 (RFC 8032), which has one form.
    case eddsaSignature
    /// The padding of a block that RSA encrypts.
    package enum EncryptionPadding: Hashable, Sendable {
        case none
        case pkcs1
        case oaep(KeyDigest)
    }

    case rsaEncryption(EncryptionPadding)
    /// AES encrypts the data, and RSA with OAEP encrypts the AES key.
    case rsaHybrid(KeyDigest)
    /// AES encrypts the data, with a key agreed on by an ephemeral key and the receiver's key.
    ///
    /// - Parameter derivesNonce: whether the nonce is derived too; otherwise it is zero.
    case ecies(KeyDigest, derivesNonce: Bool)
    /// Key agreement with or without the cofactor, which is 1 on curves of primes.
    ///
    /// - Parameter digest: the digest of the derivation; nil for the shared secret itself.
    case keyExchange(KeyDigest?, isCofactor: Bool = false)

    /// Nil for an algorithm that no key here supports.
    package init?(name: String) {
        let parts = name.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 2, parts[0] == "algid" else { return nil }
        if parts[1] == "keyexchange" {
            self.init(keyExchange: parts[2], parts[3...])
            return
        }
        guard parts.count > 3 else { return nil }
        switch (parts[1], parts[2]) {
        case ("sign", "RSA"): self.init(rsaSignature: parts[3], parts[4...])
        case ("sign", "ECDSA"): self.init(ecSignature: parts[3], parts[4...])
        case ("sign", "EdDSA"):
            guard parts[3...] == ["message-Curve25519", "SHA512"] else { return nil }
            self = .eddsaSignature
        case ("encrypt", "RSA"): self.init(rsaEncryption: parts[3], parts[4...])
        case ("encrypt", "ECIES"): self.init(ecies: parts[3], parts[4...])
        default: return nil
        }
    }

    private init?(rsaSignature what: String, _ rest: ArraySlice<String>) {
        let isMessage = what.hasPrefix("message-")
        switch (what, rest.count) {
        case ("raw", 0): self = .rsaSignature(.none, nil, isMessage: false)
        case ("digest-PKCS1v15", 0): self = .rsaSignature(.pkcs1, nil, isMessage: false)
        case ("digest-PKCS1v15", 1), ("message-PKCS1v15", 1):
            guard let digest = rest.first.flatMap(KeyDigest.init) else { return nil }
            self = .rsaSignature(.pkcs1, digest, isMessage: isMessage)
        case ("digest-PSS", 3), ("message-PSS", 3):
            // The digest, the digest of the mask, and the bytes of salt, as many as the digest has. For SHA-224,
            // Apple's name says 24.
            guard let digest = rest.first.flatMap(KeyDigest.init),
                Array(rest) == [digest.rawValue, digest.rawValue, digest == .sha224 ? "24" : "\(digest.byteCount)"]
            else { return nil }
            self = .rsaSignature(.pss, digest, isMessage: isMessage)
        default: return nil
        }
    }

    private init?(ecSignature what: String, _ rest: ArraySlice<String>) {
        let isMessage = what.hasPrefix("message-")
        switch (what, rest.count) {
        case ("digest-X962", 0): self = .ecSignature(.x962, nil, isMessage: false)
        case ("digest-RFC4754", 0), ("RFC4754", 0): self = .ecSignature(.rfc4754, nil, isMessage: false)
        case ("digest-X962", 1), ("message-X962", 1), ("digest-RFC4754", 1), ("message-RFC4754", 1):
            guard let digest = rest.first.flatMap(KeyDigest.init) else { return nil }
            self = .ecSignature(what.hasSuffix("X962") ? .x962 : .rfc4754, digest, isMessage: isMessage)
        default: return nil
        }
    }

    private init?(keyExchange what: String, _ rest: ArraySlice<String>) {
        guard what == "ECDH" || what == "ECDHC" else { return nil }
        if rest.isEmpty {
            self = .keyExchange(nil, isCofactor: what == "ECDHC")
        } else {
            guard rest.count == 2, rest.first == "KDFX963", let digest = rest.last.flatMap(KeyDigest.init) else {
                return nil
            }
            self = .keyExchange(digest, isCofactor: what == "ECDHC")
        }
    }

    private init?(rsaEncryption what: String, _ rest: ArraySlice<String>) {
        switch (what, rest.count) {
        case ("raw", 0): self = .rsaEncryption(.none)
        case ("PKCS1", 0): self = .rsaEncryption(.pkcs1)
        case ("OAEP", 1):
            guard let digest = rest.first.flatMap(KeyDigest.init) else { return nil }
            self = .rsaEncryption(.oaep(digest))
        case ("OAEP", 2):
            guard let digest = rest.first.flatMap(KeyDigest.init), rest.last == "AESGCM" else { return nil }
            self = .rsaHybrid(digest)
        default: return nil
        }
    }

    private init?(ecies what: String, _ rest: ArraySlice<String>) {
        let parts = Array(rest)
        guard what == "ECDH" || what == "ECDHC", parts.count == 3, parts[0] == "KDFX963",
            let digest = KeyDigest(rawValue: parts[1])
        else { return nil }
        switch parts[2] {
        case "AESGCM": self = .ecies(digest, derivesNonce: false)
        case "AESGCM-KDFIV": self = .ecies(digest, derivesNonce: true)
        default: return nil
        }
    }
}

// MARK: What an algorithm does before a private key is needed

extension KeyAlgorithm {
    /// The digest of the message to sign; nil if the data are signed as they are.
    package var messageDigest: KeyDigest? {
        switch self {
        case .rsaSignature(_, let digest, isMessage: true), .ecSignature(_, let digest, isMessage: true): digest
        default: nil
        }
    }

    /// The name of the algorithm that takes the digest instead of the message.
    package static func nameOfDigest(_ name: String) -> String {
        name.split(separator: ":", omittingEmptySubsequences: false).map { part in
            part.hasPrefix("message-") ? "digest-" + part.dropFirst("message-".count) : String(part)
        }.joined(separator: ":")
    }

    /// The name with which a key of the enclave signs; it accepts digests of any kind.
    ///
    /// - Throws: `errSecParam` for anything but a signature on elliptic curves.
    package func nameInEnclave() throws(KeychainError) -> String {
        guard case .ecSignature(let form, _, _) = self else {
            throw KeychainError(.param, "keys of the enclave are on elliptic curves")
        }
        return form == .x962 ? "algid:sign:ECDSA:digest-X962" : "algid:sign:ECDSA:digest-RFC4754"
    }

    /// Throws `errSecParam` if the data have another length than the digest.
    package func requireDigest(_ data: [UInt8]) throws(KeychainError) {
        guard case .ecSignature(_, let digest?, _) = self, data.count != digest.byteCount else { return }
        throw KeychainError(
            .param, "a digest of this algorithm has \(digest.byteCount) bytes, and the data have \(data.count)")
    }

    /// The name of the plain key agreement.
    package static let plainKeyExchange = "algid:keyexchange:ECDH"

    /// The name of the algorithm with which RSA encrypts an AES key.
    package static func name(ofOAEP digest: KeyDigest) -> String { "algid:encrypt:RSA:OAEP:\(digest.rawValue)" }

    /// The name of the algorithm that derives bytes from a shared secret.
    package static func name(ofKeyExchange digest: KeyDigest) -> String {
        "algid:keyexchange:ECDH:KDFX963:\(digest.rawValue)"
    }
}
