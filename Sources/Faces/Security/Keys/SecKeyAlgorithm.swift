import CoreFoundation
import Foundation

/// An algorithm for signing, encryption or key agreement.
// `@unchecked Sendable`: it is made from a literal or by its owner, and a string that is no NSMutableString never
// changes.
public struct SecKeyAlgorithm: RawRepresentable, Hashable, @unchecked Sendable {
    public let rawValue: CFString

    public init(rawValue: CFString) { self.rawValue = rawValue }

    init(known text: String) { rawValue = NSString(string: text) }

    package var name: String { rawValue as String }
}

/// An operation with a key.
public enum SecKeyOperationType: Int, @unchecked Sendable {
    case sign = 0
    case verify = 1
    case encrypt = 2
    case decrypt = 3
    case keyExchange = 4
}

/// A parameter of a key agreement that derives bytes.
// `@unchecked Sendable`: as above.
public struct SecKeyKeyExchangeParameter: RawRepresentable, Hashable, @unchecked Sendable {
    public let rawValue: CFString

    public init(rawValue: CFString) { self.rawValue = rawValue }

    init(known text: String) { rawValue = NSString(string: text) }
}

// PROOF for nonisolated(unsafe): each is a `let` made from a literal, and an NSString that is not an
// NSMutableString never changes, so any thread may read it without a lock.

/// The key of a dictionary with attributes of the private key alone, written `private`; attributes around it apply to
/// both keys.
nonisolated(unsafe) public let kSecPrivateKeyAttrs: CFString = "private"

/// The key of a dictionary with attributes of the public key alone, written `public`; attributes around it apply to
/// both keys.
nonisolated(unsafe) public let kSecPublicKeyAttrs: CFString = "public"
