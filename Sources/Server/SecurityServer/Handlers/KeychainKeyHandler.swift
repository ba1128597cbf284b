import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// Carries out requests about private keys of file keychains.
enum KeychainKeyHandler {
    static let routes: [RequestRoute] = [.init(aside: make), .init(use)]

    /// Makes a key.
    ///
    /// A search for primes may take seconds, so this holds no turn, and the program's other requests go on.
    static func make(_ request: MakeKeychainKey, _ context: inout RequestContext) throws(KeychainError) -> KeychainItem
    {
        try context.prepare(for: request)
        defer { context.leaveKeychain() }
        let (pair, ui) = (request.pair, request.pair.privateKey.authenticationUI)
        try pair.validate()
        try pair.privateKey.requireFileKeychain()
        try pair.publicKey?.requireFileKeychain()
        let change = try context.changeRequest(request.identifier)
        let path =
            if let path = request.path { path } else { try KeychainItemHandler.placeOfNewItems(ui, &context) }
        return try context.withKeychain(at: path, ui, pair.privateKey.prompt) {
            (keychain, context) throws(KeychainError) in
            try keychain.makeKey(pair, change, &context.access)
        }
    }

    static func use(_ request: UseKeychainKey, _ context: inout RequestContext) throws(KeychainError) -> KeyResult {
        let use = request.use
        try use.task.validate()
        guard use.authenticationUI != .skip else { throw KeychainError.skipsOutsideSearch() }
        var query = ItemQuery(itemClass: .key)
        (query.authenticationUI, query.prompt) = (use.authenticationUI, use.prompt)
        var result: SecretBytes?
        let failure = try SearchListTraversal(request.scope, query).run(&context, isChange: false) {
            (keychain, query, context) throws(KeychainError) in
            // The scope names one item. Only the keychain of its reference is searched for it.
            guard query.items == [use.item] else { return true }
            result = try keychain.useKey(use.item, use.task, &context.access)
            return false
        }
        guard let result else {
            throw failure ?? KeychainError(.itemNotFound, "the key is in no keychain that was searched")
        }
        return KeyResult(result)
    }
}
