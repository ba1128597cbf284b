import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import FileKeychains
import ItemStore
import StoreEngine

/// Private keys of a file keychain, which the daemons make and use for the callers that their access objects allow.
extension FileKeychainItems {
    /// Makes a private key and stores it, with its public key if wanted.
    ///
    /// Each has an access object of its own.
    func makeKey(
        _ pair: NewKeyPair, _ request: ChangeRequest, _ access: inout Authorisation
    ) throws(KeychainError) -> KeychainItem {
        var pair = pair
        give(&pair.privateKey)
        if var publicKey = pair.publicKey {
            give(&publicKey)
            pair.publicKey = publicKey
        }
        try keychain.makeIfMissing()
        let made = try unlocked { (opened) throws(KeychainError) in
            let place = place(opened)
            return KeychainItem(
                try opened.store.makeKey(
                    pair, groups: (FileKeychain.group, FileKeychain.group), request: request,
                    authorise: { (row, operation) throws(KeychainError) in
                        try access.authorise(row, operation, for: caller, in: place, ui, prompt)
                    }), of: opened.store.identifier, at: keychain.path.text, isVerified: true)
        }
        guard var made else { throw needsUnlocking(&access, isChange: true) }
        keychain.publish()
        keychain.post(.itemAdded, made.reference)
        if !pair.privateKey.returns.includeAttributes { made.item.encodedAttributes = nil }
        return made
    }

    /// Calculates with a private key, whose bytes the caller does not get.
    ///
    /// - Throws: `errSecItemNotFound` where it is not in this keychain.
    func useKey(
        _ item: ItemIdentifier, _ task: KeyTask, _ access: inout Authorisation
    ) throws(KeychainError) -> SecretBytes {
        let result = try unlocked { (opened) throws(KeychainError) in
            let place = place(opened)
            return try opened.store.useKey(
                item, task, groups: [FileKeychain.group],
                authorise: { (row, operation) throws(KeychainError) in
                    try access.authorise(row, operation, for: caller, in: place, ui, prompt)
                })
        }
        if let result { return result }
        var query = ItemQuery(itemClass: .key)
        (query.identifier, query.synchronizable) = (item, .any)
        guard try hasMatch(of: query) else {
            throw KeychainError(.itemNotFound, "the key is in the keychain no more")
        }
        throw needsUnlocking(&access)
    }
}
