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
}
