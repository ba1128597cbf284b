/// The attributes of a key itself (behaviour/keys.md, 1), which fill in those that its owner does not give.
package struct KeyAttributes: Sendable {
    /// `kSecAttrKeyTypeAES`, the only type of symmetric keys that is used as more than bytes.
    package static let aesType: Int64 = 2_147_483_649
    /// The sizes of AES keys, in bits.
    package static let aesSizes = [128, 192, 256]

    /// Apple's number for the kind.
    package let type: Int64
    package let half: KeyHalf
    /// The size of the modulus, of the curve's numbers, or of the key.
    package let bits: Int
    /// SHA-1 of the public key, the same for both halves.
    ///
    /// A symmetric key has none, since a digest would reveal something of it.
    package let label: [UInt8]
    package let isExtractable: Bool

    package init(kind: KeyKind, isPrivate: Bool, bits: Int, label: [UInt8], isExtractable: Bool) {
        (type, half, self.bits) = (kind.appleType, isPrivate ? .privateKey : .publicKey, bits)
        (self.label, self.isExtractable) = (label, isExtractable)
    }

    /// The attributes of an AES key.
    package init(aesBits bits: Int, isExtractable: Bool = true) {
        (type, half, self.bits) = (Self.aesType, .symmetric, bits)
        (label, self.isExtractable) = ([], isExtractable)
    }

    package var isPrivate: Bool { half == .privateKey }

    /// The attributes by which a search finds a key that is given as an object (behaviour/keys.md, 12).
    ///
    /// The flags of permitted uses are not among them, because the owner chooses those.
    package var searched: AttributeSet {
        var attributes = AttributeSet()
        attributes[.keyClass] = .number(half.rawValue)
        attributes[.type] = .number(type)
        attributes[.keySize] = .number(Int64(bits))
        if !label.isEmpty { attributes[.applicationLabel] = .data(label) }
        return attributes
    }

    /// All attributes; the keys of pairs have them as items too.
    package var all: AttributeSet {
        var attributes = searched
        attributes[.effectiveKeySize] = .number(Int64(bits))
        for (key, isSet) in flags { attributes[key] = .number(isSet ? 1 : 0) }
        return attributes
    }

    /// The attributes that are flags, in the order of Apple's table.
    package var flags: [(key: AttributeKey, isSet: Bool)] {
        [
            (.canEncrypt, !isPrivate), (.canVerify, half == .publicKey), (.canWrap, !isPrivate),
            (.canDecrypt, half != .publicKey), (.canSign, isPrivate), (.canUnwrap, half != .publicKey),
            (.canDerive, true), (.canSignRecover, false),
            (.canVerifyRecover, false), (.isSensitive, false), (.wasAlwaysSensitive, false),
            (.isExtractable, isExtractable), (.wasNeverExtractable, false), (.isModifiable, true),
            (.isPrivate, isPrivate),
        ]
    }

    /// Sets the attributes that an item lacks.
    package func fill(_ attributes: inout AttributeSet) {
        for entry in all.entries where attributes[entry.key] == nil { attributes[entry.key] = entry.value }
        // A key that is an item is permanent.
        attributes[.isPermanent] = .number(1)
    }
}

extension AttributeKey {
    package static let keyClass = AttributeKey(literal: "kcls")
    package static let keySize = AttributeKey(literal: "bsiz")
    package static let effectiveKeySize = AttributeKey(literal: "esiz")
    package static let isPermanent = AttributeKey(literal: "perm")
    package static let isExtractable = AttributeKey(literal: "extr")
    package static let canEncrypt = AttributeKey(literal: "encr")
    package static let canDecrypt = AttributeKey(literal: "decr")
    package static let canSign = AttributeKey(literal: "sign")
    package static let canVerify = AttributeKey(literal: "vrfy")
    package static let canWrap = AttributeKey(literal: "wrap")
    package static let canUnwrap = AttributeKey(literal: "unwp")
    package static let canDerive = AttributeKey(literal: "drve")
    package static let canSignRecover = AttributeKey(literal: "snrc")
    package static let canVerifyRecover = AttributeKey(literal: "vyrc")
    package static let isSensitive = AttributeKey(literal: "sens")
    package static let wasAlwaysSensitive = AttributeKey(literal: "asen")
    package static let wasNeverExtractable = AttributeKey(literal: "next")
    package static let isModifiable = AttributeKey(literal: "modi")
    package static let isPrivate = AttributeKey(literal: "priv")
}
