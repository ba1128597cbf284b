import CChatelaineCrypto
import ChatelaineMemory
import ChatelaineModel

extension KeyKind {
    var number: Int32 {
        switch self {
        case .rsa: Int32(CHATELAINE_KEY_RSA)
        case .ec: Int32(CHATELAINE_KEY_EC)
        case .ed25519: Int32(CHATELAINE_KEY_ED25519)
        case .x25519: Int32(CHATELAINE_KEY_X25519)
        }
    }
}

/// A private or a public key in this process's memory, and what is calculated with it.
///
/// libcrypto has it (decision 0016). It never changes, and any thread may use it, several at once.
// `@unchecked Sendable`: the handle is a constant, and libcrypto counts references to keys by itself and changes none.
package final class CryptographicKey: @unchecked Sendable {
    /// Of RSA, in bits.
    package static let rsaSizes = Int(CHATELAINE_RSA_LEAST)...Int(CHATELAINE_RSA_MOST)
    package static let curveSizes = [256, 384, 521]
    /// What Apple calls the size of keys of Ed25519 and X25519, which have one.
    package static let curve25519Bits = 256

    package let kind: KeyKind
    package let isPrivate: Bool
    let handle: OpaquePointer

    private init(_ kind: KeyKind, isPrivate: Bool, handle: OpaquePointer) {
        (self.kind, self.isPrivate, self.handle) = (kind, isPrivate, handle)
    }

    deinit { chatelaine_key_free(handle) }

    /// A new private key.
    ///
    /// - Throws: `errSecParam` for a size that such keys do not have; `errSecNotAvailable` without libcrypto.
    package static func generate(_ kind: KeyKind, bits: Int) throws(KeychainError) -> CryptographicKey {
        let isKnown =
            switch kind {
            case .rsa: rsaSizes.contains(bits)
            case .ec: curveSizes.contains(bits)
            case .ed25519, .x25519: bits == Self.curve25519Bits
            }
        guard isKnown else {
            throw KeychainError(
                .param,
                "no key of that kind has \(bits) bits: RSA has 1024 to 8192, elliptic curves have 256, 384 or 521, and "
                    + "Ed25519 and X25519 have 256")
        }
        var handle: OpaquePointer?
        try CryptographyFailure.check(chatelaine_key_generate(kind.number, Int32(bits), &handle), "making a key")
        guard let handle else { throw CryptographyFailure.memory }
        return CryptographicKey(kind, isPrivate: true, handle: handle)
    }

    /// A key in its external representation (`SecKeyCopyExternalRepresentation`).
    ///
    /// - Throws: `errSecParam` for what is no such key, one that is damaged included.
    package convenience init(
        _ kind: KeyKind, isPrivate: Bool, representation: UnsafeRawBufferPointer
    ) throws(KeychainError) {
        var handle: OpaquePointer?
        let code = chatelaine_key_read(
            kind.number, isPrivate ? 1 : 0, representation.bytes, representation.count, &handle)
        try self.init(kind, isPrivate: isPrivate, read: handle, code)
    }

    /// A private key whose ``privateRepresentation()`` was under a seal since: what was looked at then is not looked at again.
    ///
    /// - Throws: `errSecParam` for what is no such representation.
    package convenience init(_ kind: KeyKind, unsealed representation: UnsafeRawBufferPointer) throws(KeychainError) {
        var handle: OpaquePointer?
        let code = chatelaine_key_reopen(kind.number, representation.bytes, representation.count, &handle)
        try self.init(kind, isPrivate: true, read: handle, code)
    }

    /// A public key in its external representation.
    package convenience init(_ kind: KeyKind, publicRepresentation: [UInt8]) throws(KeychainError) {
        var handle: OpaquePointer?
        let code = chatelaine_key_read(kind.number, 0, publicRepresentation, publicRepresentation.count, &handle)
        try self.init(kind, isPrivate: false, read: handle, code)
    }

    private convenience init(
        _ kind: KeyKind, isPrivate: Bool, read handle: OpaquePointer?, _ code: Int32
    ) throws(KeychainError) {
        try CryptographyFailure.check(code, "reading a key")
        guard let handle else { throw CryptographyFailure.memory }
        self.init(kind, isPrivate: isPrivate, handle: handle)
    }

    /// Of the modulus, or of the curve's numbers.
    package var bits: Int {
        switch kind {
        case .rsa, .ec: Int(chatelaine_key_bits(handle))
        case .ed25519, .x25519: Self.curve25519Bits
        }
    }

    /// Bytes of a block of RSA: of a signature and of what is encrypted.
    package var blockBytes: Int { (bits + 7) / 8 }

    /// PKCS#1 of RSA; 04, X, Y and K of EC; else the bytes themselves.
    ///
    /// - Throws: `errSecParam` of a public key.
    package func privateRepresentation() throws(KeychainError) -> SecretBytes {
        try CryptographyFailure.secret(Int(CHATELAINE_KEY_BYTES), "writing a private key") { bytes, count in
            chatelaine_key_write(handle, 1, bytes, count)
        }
    }

    /// The same of the public key: PKCS#1, or 04, X and Y.
    package func publicRepresentation() throws(KeychainError) -> [UInt8] {
        try CryptographyFailure.output(Int(CHATELAINE_KEY_BYTES), "writing a key") { bytes, count in
            chatelaine_key_write(handle, 0, bytes, count)
        }
    }

    /// The public key of a private one; a public key itself.
    package func publicKey() throws(KeychainError) -> CryptographicKey {
        guard isPrivate else { return self }
        return try CryptographicKey(kind, publicRepresentation: try publicRepresentation())
    }
}

extension UnsafeRawBufferPointer {
    /// As C takes it; some address where there is nothing.
    var bytes: UnsafePointer<UInt8>? { bindMemory(to: UInt8.self).baseAddress }
}

extension UnsafeMutableRawBufferPointer {
    var bytes: UnsafeMutablePointer<UInt8>? { bindMemory(to: UInt8.self).baseAddress }
}
