import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import ItemStore
import StoreEngine

extension Keychain {
    /// Makes a private key and stores it, with its public key if wanted.
    func makeKey(
        _ pair: NewKeyPair, for caller: Caller, _ change: ChangeRequest, _ access: inout Authorisation
    ) throws(KeychainError) -> FoundItem {
        try pair.validate()
        let group = try AccessPolicy.defaultGroup(of: caller, named: pair.privateKey.accessGroup)
        let publicGroup = try AccessPolicy.defaultGroup(of: caller, named: pair.publicKey?.accessGroup)
        try identities.pin(caller.identity)
        let (place, item) = (place, pair.privateKey)
        var made = try opened.store.makeKey(pair, groups: (group, publicGroup), request: change) {
            (row, operation) throws(KeychainError) in
            try access.authorise(row, operation, for: caller, in: place, item.authenticationUI, item.prompt)
        } use: {
            access.use($0, by: caller, in: place)
        }
        let groups = pair.publicKey == nil || publicGroup == group ? [group] : [group, publicGroup]
        changes.note(groups, of: caller.principal.user, in: name)
        if !item.returns.includeAttributes { made.encodedAttributes = nil }
        return made
    }

    /// Calculates with a private key, whose bytes the caller does not get.
    func useKey(
        _ usage: KeyUsage, for caller: Caller, _ access: inout Authorisation
    ) throws(KeychainError) -> SecretBytes {
        try usage.task.validate()
        guard usage.authenticationUI != .skip else { throw KeychainError.skipsOutsideSearch() }
        let groups = try AccessPolicy.groups(of: caller, named: nil)
        let place = place
        return try opened.store.useKey(usage.item, usage.task, groups: groups) {
            (row, operation) throws(KeychainError) in
            try access.authorise(row, operation, for: caller, in: place, usage.authenticationUI, usage.prompt)
        } use: {
            access.use($0, by: caller, in: place)
        }
    }

    // MARK: Keys that their programs keep

    /// Makes a key of the enclave, of which the store keeps nothing.
    ///
    /// The program is recorded, like a program that stores an item. A later program under the same path is compared
    /// with the record.
    func makeDetachedKey(
        _ item: NewItem, for caller: Caller
    ) throws(KeychainError) -> (bytes: [UInt8], publicBytes: [UInt8]) {
        try item.validate()
        guard item.itemClass == .key, item.keyCustody == .enclave, item.keyKind == .ec, item.secret == nil else {
            throw KeychainError(.param, "a key that its program keeps is one of the enclave, without bytes")
        }
        guard item.access == nil else {
            throw KeychainError(.param, "a key that its program keeps has no access object, but an access control")
        }
        let group = try AccessPolicy.defaultGroup(of: caller, named: item.accessGroup)
        try identities.pin(caller.identity)
        return try opened.store.makeDetachedKey(item, group: group)
    }

    func publicBytes(ofDetachedKey bytes: [UInt8], for caller: Caller) throws(KeychainError) -> [UInt8] {
        try opened.store.publicBytes(
            ofDetachedKey: bytes, groups: try AccessPolicy.groups(of: caller, named: nil))
    }

    func useDetachedKey(
        _ usage: DetachedKeyUsage, for caller: Caller, _ access: inout Authorisation
    ) throws(KeychainError) -> SecretBytes {
        try usage.task.validate()
        guard usage.authenticationUI != .skip else { throw KeychainError.skipsOutsideSearch() }
        let groups = try AccessPolicy.groups(of: caller, named: nil)
        let place = place
        return try opened.store.useDetachedKey(usage.bytes, usage.task, groups: groups) {
            (row, operation) throws(KeychainError) in
            try access.authorise(row, operation, for: caller, in: place, usage.authenticationUI, usage.prompt)
        } use: {
            access.use($0, by: caller, in: place)
        }
    }
}
