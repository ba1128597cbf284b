import ChatelaineMemory

/// Changes of items of class key.
extension ItemChange {
    /// The attributes that an item of class key gets.
    ///
    /// They say what the key is, so a change may repeat what it is and not say anything else (behaviour/keys.md, 38).
    ///
    /// - Parameters:
    ///   - key: what the item's seal says about its key; nil for an item that is plain bytes.
    ///   - before: the item's present attributes.
    /// - Throws: `errSecParam` where the item would say what its key is not, or get constraints that no such key has;
    ///   `errSecUnimplemented` for a password of the program's.
    package func attributes(
        ofKey key: KeyDescription?, before: AttributeSet
    ) throws(KeychainError) -> AttributeSet {
        if let constraints { try Self.validate(constraints, ofKey: key) }
        guard [nil, .number(0), .number(1)].contains(attributes[.isExtractable]) else {
            throw KeychainError(.param, "kSecAttrIsExtractable is a boolean")
        }
        guard let key else { return try attributesOfBytes(before) }
        let own: [(key: AttributeKey, value: AttributeValue?)] = [
            (.keyClass, .number(key.half.rawValue)), (.type, .number(key.kind.appleType)),
            (.tokenID, key.custody == .enclave ? .text(NewItem.enclaveToken) : nil),
            (.keySize, before[.keySize]),
        ]
        for (name, value) in own where attributes[name] != nil && attributes[name] != value {
            throw KeychainError(
                .param, "\(KeyName.of(name, in: .key)) says what the key is, which no change of the item changes")
        }
        return attributes
    }

    /// The attributes of an item that is plain bytes, with the sizes of new bytes of an AES key.
    private func attributesOfBytes(_ before: AttributeSet) throws(KeychainError) -> AttributeSet {
        let (half, token) = (attributes[.keyClass], attributes[.tokenID])
        var after = before
        after.merge(attributes)
        let isSymmetric = after[.keyClass] == .number(KeyHalf.symmetric.rawValue)
        // Bytes do not become half of a pair, under whatever name. An item that was added without a class has the
        // number 0 as one, and its bytes may be changed like a password.
        guard half == nil || half == before[.keyClass] || isSymmetric, token == nil || token == before[.tokenID],
            secret == nil || after[.keyClass] != .number(KeyHalf.privateKey.rawValue)
        else {
            throw KeychainError(
                .param, "an item of plain bytes becomes no private or public key, and none on a token")
        }
        guard after.isOfAES else { return attributes }
        guard let secret else {
            guard before.isOfAES else {
                throw KeychainError(.param, "an item becomes a key of AES together with the bytes of one")
            }
            return attributes
        }
        let bits = try KeyAttributes.aesBits(of: secret)
        var changed = attributes
        for key in [AttributeKey.keySize, .effectiveKeySize] where changed[key] == nil {
            changed[key] = .number(Int64(bits))
        }
        return changed
    }

    /// As new keys, which ``NewItem/validate()`` checks.
    private static func validate(
        _ constraints: AccessConstraints, ofKey key: KeyDescription?
    ) throws(KeychainError) {
        guard !constraints.needsApplicationPassword else { throw AccessControl.noApplicationPassword }
        guard let key else { return }
        if key.kind == .aes {
            guard constraints.operations[.sign] == nil else { throw AccessControl.ofPairs }
        } else {
            guard constraints.operations[.sign] != nil else { throw AccessControl.withoutUsage }
        }
    }
}

extension KeyDescription {
    /// Which half of a pair the key is, or that it is symmetric.
    package var half: KeyHalf { kind == .aes ? .symmetric : custody == nil ? .publicKey : .privateKey }
}

extension KeyAttributes {
    /// The size of an AES key with these bytes, in bits.
    ///
    /// - Throws: `errSecParam` for bytes that are no AES key.
    static func aesBits(of bytes: SecretBytes) throws(KeychainError) -> Int {
        guard aesSizes.contains(bytes.count * 8) else {
            throw KeychainError(.param, "a key of AES has 128, 192 or 256 bits, and not \(bytes.count * 8)")
        }
        return bytes.count * 8
    }
}

extension AttributeSet {
    /// Whether the attributes are those of a symmetric key of AES.
    fileprivate var isOfAES: Bool {
        self[.keyClass] == .number(KeyHalf.symmetric.rawValue) && self[.type] == .number(KeyAttributes.aesType)
    }
}

extension AccessControl {
    static var withoutUsage: KeychainError {
        KeychainError(
            .param, "the access control of a key says who may calculate with it: it lacks privateKeyUsage")
    }

    static var ofPairs: KeychainError {
        KeychainError(
            .param, "the access control of a symmetric key is that of a password: privateKeyUsage is for pairs")
    }

    static var noApplicationPassword: KeychainError {
        KeychainError(.unimplemented, "no key is kept under a password of the program's")
    }
}
