import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import CoreFoundation

/// The `SecKeychainItem` calls, for Swift and for C alike.
package enum KeychainItemCalls {
    static var client: KeychainClient { .shared }

    /// Whether calls of this process may ask a person.
    static var authenticationUI: AuthenticationUI { UserInteraction.isAllowed ? .allow : .fail }

    /// Deletes an item; a person is asked where the program may not read the item.
    package static func delete(_ item: SecKeychainItem) throws(KeychainError) {
        let handle = try handle(of: item)
        try ofItem { () throws(KeychainError) in
            try client.delete(query(handle), in: scope(of: handle), asksPerson: true)
        }
    }

    package static func keychain(of item: SecKeychainItem) throws(KeychainError) -> SecKeychain {
        guard case .file = item.item else {
            throw KeychainError(.noSuchKeychain, "the item is in the data protection keychain, and in no file")
        }
        return SecKeychain.at(try KeychainPath(try path(of: item), try client.deployment))
    }

    // MARK: Access objects

    package static func access(of item: SecKeychainItem) throws(KeychainError) -> SecAccess {
        let (handle, path) = (try handle(of: item), try path(of: item))
        return SecAccess(
            try ofItem { () throws(KeychainError) in
                try client.access(of: handle.reference, in: path, authenticationUI)
            })
    }

    package static func setAccess(_ access: SecAccess, of item: SecKeychainItem) throws(KeychainError) {
        let (handle, path) = (try handle(of: item), try path(of: item))
        try ofItem { () throws(KeychainError) in
            try client.setAccess(access.object, of: handle.reference, in: path, authenticationUI)
        }
    }

    // MARK: References and copies

    /// Finds the item that a persistent reference names, in any known keychain.
    package static func item(at bytes: [UInt8]) throws(KeychainError) -> SecKeychainItem {
        guard let reference = KeychainItemReference(bytes) else {
            throw KeychainError(.itemNotFound, "the data is no reference to an item of a file keychain")
        }
        let handle = KeychainItemHandle(reference, at: nil)
        let found = try client.find(query(handle), in: scope(of: handle))
        guard let item = found.first else { throw gone }
        return SecKeychainItem(item.handle)
    }

    /// Stores the content of an item, and its access object, as another item.
    ///
    /// - Parameters:
    ///   - keychain: nil for the default keychain.
    ///   - access: nil for the item's own access object.
    package static func copy(
        _ item: SecKeychainItem, to keychain: SecKeychain?, _ access: SecAccess?
    ) throws(KeychainError) -> SecKeychainItem {
        let former = try find(item, [.attributes, .data])
        var copy = NewItem(itemClass: former.item.itemClass)
        for entry in former.item.attributes.entries where !ownAttributes.contains(entry.key) {
            copy.attributes[entry.key] = entry.value
        }
        copy.secret = former.item.secret
        copy.keyKind = former.item.key?.kind
        guard former.item.key?.isExportable ?? true else {
            throw KeychainError(.unimplemented, "the bytes of the key never leave its keychain, so that it has no copy")
        }
        // A certificate has no access object.
        copy.access = access?.object
        if access == nil, copy.itemClass != .certificate { copy.access = try self.access(of: item).object }
        return try add(copy, to: keychain)
    }

    /// The attributes that are not copied, since each item has its own.
    private static let ownAttributes: [AttributeKey] = [.accessGroup, .creationDate, .modificationDate, .sha1]

    // MARK: For other calls

    /// Stores an item.
    ///
    /// - Parameter keychain: nil for the default keychain, which securityd makes where there is none and a person
    ///   agrees.
    static func add(_ item: NewItem, to keychain: SecKeychain?) throws(KeychainError) -> SecKeychainItem {
        var item = item
        item.authenticationUI = authenticationUI
        return SecKeychainItem(try client.add(item, to: keychain?.path).handle)
    }

    /// Finds the item and reads what `returns` requests.
    static func find(_ item: SecKeychainItem, _ returns: ReturnTypes) throws(KeychainError) -> KeychainItem {
        let handle = try handle(of: item)
        return try ofItem { () throws(KeychainError) in
            var query = query(handle)
            query.returns = returns
            guard let found = try client.find(query, in: scope(of: handle)).first else { throw gone }
            return found
        }
    }

    static func update(_ item: SecKeychainItem, _ change: ItemChange) throws(KeychainError) {
        let handle = try handle(of: item)
        try ofItem { () throws(KeychainError) in
            try client.update(query(handle), change, in: scope(of: handle))
        }
    }

    /// Copies a secret from the program's memory to secret memory.
    static func secret(_ bytes: UnsafeRawPointer?, count: UInt32) throws(KeychainError) -> SecretBytes {
        guard count == 0 || bytes != nil else {
            throw KeychainError(.param, "the data has a length, and the pointer to it is null")
        }
        guard Int(count) <= Limits.secretBytes else {
            throw KeychainError(.dataTooLarge, "an item holds \(Limits.secretBytes) bytes at most")
        }
        // SAFETY: the caller says how many bytes there are.
        return SecretBytes(copying: UnsafeRawBufferPointer(start: count == 0 ? nil : bytes, count: Int(count)))
    }

    /// Copies a secret to memory that the program frees; an item without a secret also gets a block.
    ///
    /// - Parameter data: nil where the program does not want the data.
    static func handOut(
        _ secret: SecretBytes?, _ length: UnsafeMutablePointer<UInt32>?,
        _ data: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) throws(KeychainError) {
        guard let data else { return }
        let secret = secret ?? SecretBytes([])
        guard let block = secret.withUnsafeBytes({ CallerOwnedMemory.copy($0) }) else {
            throw KeychainError(.allocate, "there is no memory for the data")
        }
        length?.pointee = UInt32(secret.count)
        data.pointee = block
    }

    /// Throws `errSecParam` where a program wants data and gives no place for its length.
    static func requireLength(
        _ length: UnsafeMutablePointer<UInt32>?, for data: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) throws(KeychainError) {
        guard data == nil || length != nil else {
            throw KeychainError(.param, "the pointer to the place for the length of the data is null")
        }
    }

    // MARK: The item that is meant

    static func handle(of item: SecKeychainItem) throws(KeychainError) -> KeychainItemHandle {
        guard case .file(let handle) = item.item else {
            throw KeychainError(
                .invalidItemReference, "the item is in the data protection keychain; use the calls of SecItem")
        }
        return handle
    }

    private static func path(of item: SecKeychainItem) throws(KeychainError) -> String {
        if let path = try handle(of: item).path { path } else { try find(item, []).path }
    }

    static func query(_ handle: KeychainItemHandle) -> ItemQuery {
        var query = ItemQuery(itemClass: handle.reference.item.itemClass)
        query.authenticationUI = authenticationUI
        return query
    }

    static func scope(of handle: KeychainItemHandle) -> KeychainScope {
        KeychainScope(paths: handle.path.map { [$0] } ?? [], items: [handle.reference])
    }

    /// Runs a call about one item; `errSecItemNotFound` becomes `errSecInvalidItemRef`.
    private static func ofItem<Answer>(
        _ body: () throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        do throws(KeychainError) { return try body() } catch {
            throw error.status == .itemNotFound ? gone : error
        }
    }

    private static var gone: KeychainError {
        KeychainError(.invalidItemReference, "the item is in its keychain no more")
    }
}
