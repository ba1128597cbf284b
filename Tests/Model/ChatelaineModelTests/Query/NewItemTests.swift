import ChatelaineMemory
import ChatelaineModel
import Testing

/// Tests of the rules for a new key, whoever sends it.
struct NewItemTests {
    private static func key(_ half: KeyHalf, byteCount: Int) -> NewItem {
        var item = NewItem(itemClass: .key)
        item.keyKind = .rsa
        item.attributes[.keyClass] = .number(half.rawValue)
        item.secret = SecretBytes([UInt8](repeating: 1, count: byteCount))
        return item
    }

    /// The part of a row that is in clear has its own limit (behaviour/limits.md, 41).
    @Test func publicKeysHaveALimit() throws {
        let limit = KeyDescription.maximumPublicBytes
        try Self.key(.publicKey, byteCount: limit).validate()
        #expect(throws: KeychainError(.param, "")) { try Self.key(.publicKey, byteCount: limit + 1).validate() }
        try Self.key(.privateKey, byteCount: limit + 1).validate()
    }

    /// A longer one would not fit into the messages to the process that reads it.
    @Test func privateKeysHaveALimit() throws {
        let limit = KeyDescription.maximumPrivateBytes
        try Self.key(.privateKey, byteCount: limit).validate()
        #expect(throws: KeychainError(.param, "")) { try Self.key(.privateKey, byteCount: limit + 1).validate() }
    }

    /// The process that calculates with a key does not have the program's password (behaviour/keys.md, 28).
    @Test func noKeyIsUnderAPasswordOfTheProgram() throws {
        var constraints = AccessConstraints()
        constraints.operations = [
            .sign: .always, .computeSharedSecret: .always, .decapsulate: .always, .delete: .always, .encrypt: .always,
        ]
        var key = Self.key(.privateKey, byteCount: 100)
        (key.accessibility, key.constraints) = (.whenUnlocked, constraints)
        try key.validate()
        key.constraints?.needsApplicationPassword = true
        #expect(throws: KeychainError(.unimplemented, "")) { try key.validate() }
    }

    /// What means nothing must not leave a key extractable (behaviour/keys.md, 37).
    @Test func whetherAKeyIsExtractableIsABoolean() throws {
        var key = Self.key(.privateKey, byteCount: 100)
        for value in [.number(0), .number(1), nil] as [AttributeValue?] {
            key.attributes[.isExtractable] = value
            try key.validate()
        }
        for value in [.text("false"), .text("00"), .text(""), .number(2)] as [AttributeValue] {
            key.attributes[.isExtractable] = value
            #expect(throws: KeychainError(.param, "")) { try key.validate() }
        }
    }

    private static func symmetricKey(byteCount: Int? = 32) -> NewItem {
        var item = NewItem(itemClass: .key)
        item.keyKind = .aes
        item.attributes[.keyClass] = .number(KeyHalf.symmetric.rawValue)
        item.attributes[.type] = .number(KeyAttributes.aesType)
        item.attributes[.isExtractable] = .number(0)
        item.secret = byteCount.map { SecretBytes([UInt8](repeating: 1, count: $0)) }
        return item
    }

    /// A symmetric key that never leaves says so in its attributes too (behaviour/symmetric-keys.md, 12).
    @Test func keptSymmetricKeysAreWhatTheySay() throws {
        for count in [nil, 16, 24, 32] as [Int?] { try Self.symmetricKey(byteCount: count).validate() }
        #expect(Self.symmetricKey().keyCustody == .symmetric)
        let changes: [(inout NewItem) -> Void] = [
            { $0.attributes[.keyClass] = .number(KeyHalf.privateKey.rawValue) },
            { $0.attributes[.keyClass] = nil },
            { $0.attributes[.type] = .number(KeyKind.ec.appleType) },
            { $0.attributes[.isExtractable] = .number(1) },
            { $0.attributes[.isExtractable] = nil },
            { $0.attributes[.tokenID] = .text(NewItem.enclaveToken) },
            { $0.secret = SecretBytes([UInt8](repeating: 1, count: 15)) },
            { $0.itemClass = .genericPassword },
        ]
        for (index, change) in changes.enumerated() {
            var item = Self.symmetricKey()
            change(&item)
            #expect(throws: KeychainError.self, "\(index)") { try item.validate() }
        }
    }

    /// Constraints are those of a password (behaviour/symmetric-keys.md, 11).
    @Test func constraintsOfKeptSymmetricKeysAreThoseOfPasswords() throws {
        var key = Self.symmetricKey()
        (key.accessibility, key.constraints) = (.whenUnlocked, try AccessConstraints([.devicePasscode]))
        try key.validate()
        key.constraints = try AccessConstraints([.devicePasscode, .privateKeyUsage])
        #expect(throws: KeychainError(.param, "")) { try key.validate() }
        key.constraints = try AccessConstraints([.applicationPassword])
        #expect(throws: KeychainError(.unimplemented, "")) { try key.validate() }
    }

    @Test func aSymmetricKeyIsMadeAlone() throws {
        let key = Self.symmetricKey(byteCount: nil)
        try NewKeyPair(kind: .aes, bits: 256, privateKey: key).validate()
        var extractable = key
        extractable.keyKind = nil
        let wrong = [
            NewKeyPair(kind: .aes, bits: 256, privateKey: key, publicKey: key),
            NewKeyPair(kind: .ec, bits: 256, privateKey: key),
            NewKeyPair(kind: .aes, bits: 256, privateKey: extractable),
            NewKeyPair(kind: .aes, bits: 256, privateKey: Self.symmetricKey()),
        ]
        for pair in wrong { #expect(throws: KeychainError(.param, "")) { try pair.validate() } }
    }
}
