import ChatelaineModel

/// What a key is meant for, as callers say it: in an array of `kSecAttrCanSign` and its like, or in CSSM's bits.
struct KeyUses {
    /// The attributes for a key's uses, with CSSM's bits for them.
    private static let all: [(key: AttributeKey, bit: UInt32)] = [
        (.canEncrypt, 1), (.canDecrypt, 2), (.canSign, 4), (.canVerify, 8), (.canSignRecover, 16),
        (.canVerifyRecover, 32), (.canWrap, 64), (.canUnwrap, 128), (.canDerive, 256),
    ]
    /// `CSSM_KEYUSE_ANY`
    private static let any: UInt32 = 0x8000_0000

    /// CSSM's bits; 0 where a caller names no use or every use.
    let bits: UInt32

    /// - Throws: `errSecParam` for a bit that is no use.
    init(bits: UInt32) throws(KeychainError) {
        let known = Self.all.reduce(Self.any) { $0 | $1.bit }
        guard bits & ~known == 0 else {
            throw KeychainError(.param, "uses of a key are bits of CSSM_KEYUSE, and there are others")
        }
        self.bits = bits & Self.any == 0 ? bits : 0
    }

    /// - Parameter names: nil and an empty array name no use.
    /// - Throws: `errSecParam` for anything but an array of these attributes.
    init(names: QueryValue?) throws(KeychainError) {
        guard let names else {
            bits = 0
            return
        }
        guard case .array(let elements) = names else { throw Self.wrong }
        var bits: UInt32 = 0
        for element in elements {
            guard case .text(let name) = element, let use = Self.all.first(where: { $0.key.name == name }) else {
                throw Self.wrong
            }
            bits |= use.bit
        }
        self.bits = bits
    }

    /// The attributes of a key that is meant for these uses and no others; none where the caller names no use.
    var attributes: [ItemCalls.Pair] {
        guard bits != 0 else { return [] }
        return Self.all.map { ($0.key.name, .number(bits & $0.bit == 0 ? 0 : 1)) }
    }

    private static var wrong: KeychainError {
        KeychainError(.param, "uses of a key are an array of kSecAttrCanSign and its like")
    }
}
