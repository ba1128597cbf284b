/// What a key is for, as far as it is calculated with here. The numbers are on wires and in files.
package enum KeyKind: UInt8, CaseIterable, CBORValue, Sendable {
    case rsa = 1
    /// On the curve of that many bits: P-256, P-384 or P-521.
    case ec = 2
    case ed25519 = 3
    case x25519 = 4

    /// The number of the kind (`kSecAttrKeyType`). Apple publishes none for the last two (behaviour/differences.md).
    package var appleType: Int64 {
        switch self {
        case .rsa: 42
        case .ec: 73
        case .ed25519: 105
        case .x25519: 106
        }
    }

    /// The kind with that number of Apple's; nil for one that keys here do not have.
    package init?(appleType: Int64) {
        guard let kind = Self.allCases.first(where: { $0.appleType == appleType }) else { return nil }
        self = kind
    }
}

/// Which half of a pair a key is, or neither, by Apple's numbers (`kSecAttrKeyClass`).
package enum KeyHalf: Int64, Sendable {
    case publicKey = 0
    case privateKey = 1
    case symmetric = 2
}
