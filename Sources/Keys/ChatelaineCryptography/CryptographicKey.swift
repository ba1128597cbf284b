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
        // No number of a pair, so that the C module refuses it.
        case .aes: 0
        }
    }
}

/// A private or public key in this process's memory, with its operations.
///
/// libcrypto holds it (decision 0016). It never changes, and several threads may use it at once.
// `@unchecked Sendable`: the handle is constant, and libcrypto counts references to keys itself and changes no key.
package final class CryptographicKey: @unchecked Sendable {
    /// The sizes of RSA keys, in bits.
    static let rsaSizes = Int(CHATELAINE_RSA_LEAST)...Int(CHATELAINE_RSA_MOST)
    static let curveSizes = [256, 384, 521]
    /// Apple's size for keys of Ed25519 and X25519.
    package static let curve25519Bits = 256

    package let kind: KeyKind
    package let isPrivate: Bool
    let handle: OpaquePointer

    private init(_ kind: KeyKind, isPrivate: Bool, handle: OpaquePointer) {
        (self.kind, self.isPrivate, self.handle) = (kind, isPrivate, handle)
    }

    deinit { chatelaine_key_free(handle) }

    /// Makes a new private key.
    ///
    /// - Throws: `errSecParam` for a size that such keys cannot have; `errSecNotAvailable` without libcrypto.
    package static func generate(_ kind: KeyKind, bits: Int) throws(KeychainError) -> CryptographicKey {
        let isKnown =
            switch kind {
            case .rsa: rsaSizes.contains(bits)
            case .ec: curveSizes.contains(bits)
            case .ed25519, .x25519: bits == Self.curve25519Bits
            case .aes: false
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

    /// Reads a key in its external representation (`SecKeyCopyExternalRepresentation`).
    ///
    /// - Throws: `errSecParam` for a malformed or damaged key.
    package convenience init(
        _ kind: KeyKind, isPrivate: Bool, representation: UnsafeRawBufferPointer
    ) throws(KeychainError) {
        var handle: OpaquePointer?
        let code = chatelaine_key_read(
            kind.number, isPrivate ? 1 : 0, representation.bytes, representation.count, &handle)
        try self.init(kind, isPrivate: isPrivate, read: handle, code)
    }

    /// Reads a private key whose ``privateRepresentation()`` was sealed.
    ///
    /// It was checked before it was sealed, so it is not checked again.
    ///
    /// - Throws: `errSecParam` for a malformed representation.
    package convenience init(_ kind: KeyKind, unsealed representation: UnsafeRawBufferPointer) throws(KeychainError) {
        var handle: OpaquePointer?
        let code = chatelaine_key_reopen(kind.number, representation.bytes, representation.count, &handle)
        try self.init(kind, isPrivate: true, read: handle, code)
    }

    /// Reads a public key in its external representation.
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

    /// The bits of the modulus, or of the curve.
    package var bits: Int {
        switch kind {
        case .rsa, .ec, .aes: Int(chatelaine_key_bits(handle))
        case .ed25519, .x25519: Self.curve25519Bits
        }
    }

    /// The bytes of an RSA block: of a signature or an encrypted block.
    ///
    /// For EC, the bytes of one coordinate.
    package var blockBytes: Int { (bits + 7) / 8 }

    /// The external representation: PKCS#1 for RSA, and 04, X, Y and K for EC; the bytes themselves for other keys.
    ///
    /// - Throws: `errSecParam` for a public key.
    package func privateRepresentation() throws(KeychainError) -> SecretBytes {
        try CryptographyFailure.secret(Int(CHATELAINE_KEY_BYTES), "writing a private key") { bytes, count in
            chatelaine_key_write(handle, 1, bytes, count)
        }
    }

    /// The external representation of the public key: PKCS#1 for RSA, and 04, X and Y for EC; the bytes themselves for
    /// other keys.
    package func publicRepresentation() throws(KeychainError) -> [UInt8] {
        try CryptographyFailure.output(Int(CHATELAINE_KEY_BYTES), "writing a key") { bytes, count in
            chatelaine_key_write(handle, 0, bytes, count)
        }
    }

    /// The public key of a private key; a public key returns itself.
    package func publicKey() throws(KeychainError) -> CryptographicKey {
        guard isPrivate else { return self }
        return try CryptographicKey(kind, publicRepresentation: try publicRepresentation())
    }
}

extension UnsafeRawBufferPointer {
    /// The address for a C function.
    var bytes: UnsafePointer<UInt8>? { bindMemory(to: UInt8.self).baseAddress }
}

extension UnsafeMutableRawBufferPointer {
    var bytes: UnsafeMutablePointer<UInt8>? { bindMemory(to: UInt8.self).baseAddress }
}
