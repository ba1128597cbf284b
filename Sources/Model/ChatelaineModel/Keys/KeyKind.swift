/// The algorithm of a key that this project can use. The numbers are on wires and in files.
package enum KeyKind: UInt8, CaseIterable, CBORValue, Sendable {
    case rsa = 1
    /// A key on P-256, P-384 or P-521, which its size tells.
    case ec = 2
    case ed25519 = 3
    case x25519 = 4
    /// A symmetric key that is used inside the daemons; one whose bytes callers get has no kind.
    case aes = 5

    /// The kinds of private and public keys.
    static let ofPairs: [KeyKind] = [.rsa, .ec, .ed25519, .x25519]

    /// Apple's number of the kind (`kSecAttrKeyType`); ours for the last two, since Apple publishes none
    /// (behaviour/differences.md).
    package var appleType: Int64 {
        switch self {
        case .rsa: 42
        case .ec: 73
        case .ed25519: 105
        case .x25519: 106
        case .aes: KeyAttributes.aesType
        }
    }

    /// The kind of pairs with this number of Apple's; nil if no pair here has such a kind.
    package init?(appleType: Int64) {
        guard let kind = Self.ofPairs.first(where: { $0.appleType == appleType }) else { return nil }
        self = kind
    }
}

/// Whether a key is public, private or symmetric, by Apple's numbers (`kSecAttrKeyClass`).
package enum KeyHalf: Int64, Sendable {
    case publicKey = 0
    case privateKey = 1
    case symmetric = 2
}
