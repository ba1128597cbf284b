import ChatelaineMemory

/// An item to store, as a caller describes it, and what the call returns.
package struct NewItem: Sendable {
    package var itemClass: ItemClass
    /// The attributes that have no property of their own here.
    package var attributes = AttributeSet()
    /// Nil for the caller's own group.
    package var accessGroup: AccessGroup?
    package var isSynchronizable = false
    /// Nil for the default class.
    package var accessibility: Accessibility?
    /// Nil if the protection class alone protects the item; otherwise ``accessibility`` is set too.
    package var constraints: AccessConstraints?
    /// The access object of an item in a file keychain; nil in the data protection keychain.
    package var access: AccessObject?
    /// Nil for an item without data.
    package var secret: SecretBytes?
    /// The operations of a private or public key whose external representation is the secret, or of a symmetric key
    /// that is used inside the daemons; nil for everything else.
    package var keyKind: KeyKind?
    package var returns: ReturnTypes = []
    /// Whether a prompt may be shown; `.skip` is for searches only.
    package var authenticationUI = AuthenticationUI.allow
    package var prompt: OperationPrompt?

    package init(itemClass: ItemClass) { self.itemClass = itemClass }
}

extension NewItem {
    /// Throws if the item breaks a rule, whether it comes from a dictionary or from a client that may not have checked
    /// it.
    package func validate() throws(KeychainError) {
        try attributes.validate(for: itemClass)
        try attributes.requireRoom(besides: accessGroup?.text.utf8.count ?? 0)
        try secret.requireRoom()
        try AccessControl.validate(constraints, with: accessibility, isSynchronizable: isSynchronizable)
        guard authenticationUI != .skip else { throw KeychainError.skipsOutsideSearch() }
        if itemClass == .key { try validateKey() }
        guard itemClass == .key || keyKind == nil else {
            throw KeychainError(.param, "an item that is no key has no kind of keys")
        }
    }
}

// MARK: Keys

extension NewItem {
    /// Which half of a pair the key is; nil if the attributes name no known half.
    package var keyHalf: KeyHalf? {
        guard case .number(let number)? = attributes[.keyClass] else { return nil }
        return KeyHalf(rawValue: number)
    }

    /// What may be done with a private key, or with a symmetric key that never leaves; nil for everything else.
    package var keyCustody: KeyCustody? {
        if keyKind == .aes { return .symmetric }
        guard keyKind != nil, keyHalf == .privateKey else { return nil }
        if attributes[.tokenID] == .text(Self.enclaveToken) { return .enclave }
        // The access control of a key says who may use it, and nothing about its bytes, which therefore never leave.
        return attributes[.isExtractable] == .number(0) || constraints != nil ? .useOnly : .exportable
    }

    /// Makes a symmetric key one that is used inside the daemons, where the attributes say that it is not extractable.
    package mutating func keepSymmetricKeyInside() {
        if attributes[.isExtractable] == .number(0) { keyKind = .aes }
    }

    /// `kSecAttrTokenIDSecureEnclave`.
    package static let enclaveToken = "com.apple.setoken"

    private func validateKey() throws(KeychainError) {
        guard keyKind != nil || secret != nil || !attributes.isEmpty else {
            throw KeychainError(
                .param, "nothing says what key is to be stored: neither an object, nor bytes, nor attributes")
        }
        // A value that means nothing would leave the key extractable.
        guard [nil, .number(0), .number(1)].contains(attributes[.isExtractable]) else {
            throw KeychainError(.param, "the value of kSecAttrIsExtractable must be a boolean")
        }
        guard attributes[.tokenID] == nil || secret == nil else {
            throw KeychainError(.param, "a key on a token is made there: no program brings its bytes")
        }
        if keyKind == nil, secret != nil { try requireBytesAlone() }
        if keyKind == .aes {
            try validateKeptSymmetricKey()
        } else if keyKind != nil {
            guard keyHalf == .privateKey || keyHalf == .publicKey else {
                throw KeychainError(.param, "a key of that kind is private or public: kSecAttrKeyClass says which")
            }
            let isPublic = keyHalf == .publicKey
            let most = isPublic ? KeyDescription.maximumPublicBytes : KeyDescription.maximumPrivateBytes
            guard secret?.count ?? 0 <= most else {
                throw KeychainError(.param, "a \(isPublic ? "public" : "private") key has \(most) bytes at most")
            }
        }
        guard let constraints else { return }
        guard keyKind != .aes || constraints.operations[.sign] == nil else {
            throw AccessControl.ofPairs
        }
        // The bytes of any other key are read as a password is.
        guard keyKind == nil || keyKind == .aes || constraints.operations[.sign] != nil else {
            throw AccessControl.withoutUsage
        }
        guard !constraints.needsApplicationPassword else { throw AccessControl.noApplicationPassword }
    }

    /// Throws for a request that brings an item which only the keychain makes (behaviour/keys.md, 32).
    package func validateAsBrought() throws(KeychainError) {
        guard keyCustody == nil || secret != nil, keyCustody != .enclave else {
            throw KeychainError(.param, "a private key is added with its bytes, and one of the enclave is made there")
        }
        guard itemClass != .key || attributes[.tokenID] == nil else {
            throw KeychainError(.param, "a key on a token is made there: no program brings one")
        }
    }

    /// Throws unless the attributes say that the key is symmetric, or leave it open: only such a one is plain bytes.
    ///
    /// Half of a pair would be given out like a password otherwise, and be found among keys (behaviour/keys.md, 7).
    private func requireBytesAlone() throws(KeychainError) {
        // An item that was added without class and type has the number 0 for both, and its result can be added again
        // (behaviour/adding.md, 16).
        let isUnnamed = attributes[.keyClass] == .number(0) && attributes[.type] == .number(0)
        guard attributes[.keyClass] == nil || keyHalf == .symmetric || isUnnamed else {
            throw KeychainError(
                .param,
                "a private or public key is added with its bytes and kSecAttrKeyType RSA, EC, Ed25519 or X25519")
        }
    }

    /// Checks a symmetric key that never leaves: its attributes say what its row's seal says.
    private func validateKeptSymmetricKey() throws(KeychainError) {
        guard keyHalf == .symmetric, attributes[.type] == .number(KeyAttributes.aesType),
            attributes[.isExtractable] == .number(0), attributes[.tokenID] == nil
        else {
            throw KeychainError(
                .param, "a symmetric key that is used inside is one of AES, not extractable, and on no token")
        }
        if let secret { _ = try KeyAttributes.aesBits(of: secret) }
    }
}
