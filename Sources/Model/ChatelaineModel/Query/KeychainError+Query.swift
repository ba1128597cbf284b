/// Errors about keys that several places throw.
extension KeychainError {
    /// An error for a key that no dictionary of the Keychain has.
    static func unknownKey(
        _ key: String, with value: QueryValue, file: StaticString = #fileID, line: UInt = #line
    ) -> KeychainError {
        KeychainError(
            .param, "\(KeyName.of(key, with: value)) is no key of a Keychain dictionary", file: file, line: line)
    }

    static func noAttribute(
        _ name: String, with value: QueryValue = .other, of itemClass: ItemClass, file: StaticString = #fileID,
        line: UInt = #line
    ) -> KeychainError {
        KeychainError(
            .noSuchAttribute,
            "\(KeyName.of(name, with: value, in: itemClass)) is no attribute of \(KeyName.of(itemClass))", file: file,
            line: line)
    }

    static func isNull(_ key: String, file: StaticString = #fileID, line: UInt = #line) -> KeychainError {
        KeychainError(.param, "the value of \(KeyName.of(key)) is null", file: file, line: line)
    }

    /// An error for a value that is a pointer to no object; a program in C can put one there.
    package static func noObject(
        for key: String, file: StaticString = #fileID, line: UInt = #line
    ) -> KeychainError {
        KeychainError(
            .param, "the value of \(KeyName.of(key)) is, or holds, a pointer to something that is no object",
            file: file,
            line: line)
    }

    package static func skipsOutsideSearch(file: StaticString = #fileID, line: UInt = #line) -> KeychainError {
        KeychainError(
            .param, "kSecUseAuthenticationUISkip is for SecItemCopyMatching only", file: file, line: line)
    }

    static func anyOutsideSearch(file: StaticString = #fileID, line: UInt = #line) -> KeychainError {
        KeychainError(
            .param, "kSecAttrSynchronizableAny is for searches; an item is one or the other", file: file, line: line)
    }

    static func tooManyPairs(file: StaticString = #fileID, line: UInt = #line) -> KeychainError {
        KeychainError(
            .param, "the dictionary has more than \(Limits.dictionaryPairs) pairs", file: file, line: line)
    }

    static func tooManyItems(in key: String, file: StaticString = #fileID, line: UInt = #line) -> KeychainError {
        KeychainError(
            .param, "\(KeyName.of(key)) lists more than \(Limits.listedItems) items", file: file, line: line)
    }
}
