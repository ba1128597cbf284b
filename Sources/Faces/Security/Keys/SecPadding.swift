/// The padding of a block in the older calls: ``SecKeyRawSign(_:_:_:_:_:_:)`` and its neighbours.
///
/// With RSA, no padding means a block that is already full.
public struct SecPadding: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// PKCS#1 v1.5; a signature covers the given bytes, without the name of a digest.
    public static var PKCS1: SecPadding { .init(rawValue: 1) }

    /// OAEP with SHA-1, for encryption.
    public static var OAEP: SecPadding { .init(rawValue: 2) }

    /// An elliptic curve signature as two numbers side by side.
    public static var sigRaw: SecPadding { .init(rawValue: 0x4000) }

    /// PKCS#1 v1.5 about an MD2 digest, which is refused.
    public static var PKCS1MD2: SecPadding { .init(rawValue: 0x8000) }

    /// PKCS#1 v1.5 about an MD5 digest, which is refused.
    public static var PKCS1MD5: SecPadding { .init(rawValue: 0x8001) }

    /// PKCS#1 v1.5 about a SHA-1 digest.
    public static var PKCS1SHA1: SecPadding { .init(rawValue: 0x8002) }

    /// PKCS#1 v1.5 about a SHA-224 digest.
    public static var PKCS1SHA224: SecPadding { .init(rawValue: 0x8003) }

    /// PKCS#1 v1.5 about a SHA-256 digest.
    public static var PKCS1SHA256: SecPadding { .init(rawValue: 0x8004) }

    /// PKCS#1 v1.5 about a SHA-384 digest.
    public static var PKCS1SHA384: SecPadding { .init(rawValue: 0x8005) }

    /// PKCS#1 v1.5 about a SHA-512 digest.
    public static var PKCS1SHA512: SecPadding { .init(rawValue: 0x8006) }
}

/// Sizes of keys, in bits.
public enum SecKeySizes: UInt32, @unchecked Sendable {
    case secDefaultKeySize = 0
    case sec3DES192 = 192
    case secAES128 = 128
    case secp384r1 = 384
    case secp521r1 = 521
    case secRSAMin = 1024
    case secRSAMax = 4096
    // In C several names may have the same number; `secp256r1` and `secAES256` do.
    case secAES256 = 256

    public static var secAES192: SecKeySizes { .sec3DES192 }
    public static var secp192r1: SecKeySizes { .sec3DES192 }
    public static var secp256r1: SecKeySizes { .secAES256 }
}
