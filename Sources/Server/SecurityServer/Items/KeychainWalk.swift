import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol

/// The way of one request through the file keychains that it is about, in their order.
struct KeychainWalk {
    private let scope: KeychainScope
    private let query: ItemQuery

    init(_ scope: KeychainScope, _ query: ItemQuery) {
        self.scope = scope
        self.query = query
    }

    /// - Parameters:
    ///   - isChange: whether `body` changes something.
    ///   - roots: what is done with those of the distribution's certificates that the query describes; not asked for a change, which they refuse.
    ///   - body: what is done in one keychain, with what the query means there; false ends the walk.
    /// - Returns: why one of several could not be looked at, which keeps nobody from the others.
    /// - Throws: what `body` does where a person is to be asked, or where a change was refused.
    func run(
        _ context: inout RequestContext, isChange: Bool,
        roots: ([KeychainItem], inout RequestContext) throws(KeychainError) -> Bool = { _, _ in true },
        _ body: (FileKeychainItems, ItemQuery, inout RequestContext) throws(KeychainError) -> Bool
    ) throws(KeychainError) -> KeychainError? {
        try query.requireFileKeychain()
        let paths = scope.paths.isEmpty ? try context.services.searchList() : scope.paths
        var failure: KeychainError?
        for path in paths {
            do throws(KeychainError) {
                if path == KeychainPath.systemRoots {
                    guard try visitRoots(&context, isChange: isChange, roots) else { return failure }
                    continue
                }
                let goesOn = try context.withKeychain(at: path, query.authenticationUI, query.prompt) {
                    (keychain, context) throws(KeychainError) in
                    guard let query = try meant({ () throws(KeychainError) in try keychain.keychain.identifier() })
                    else { return true }
                    return try body(keychain, query, &context)
                }
                guard goesOn else { return failure }
            } catch {
                // Everybody's search list has the machine's own, which may not be there, and whose secrets are root's.
                let isOfList = scope.paths.isEmpty && isOfOthers(path, context)
                let isRefused = isOfList && error.status == .authFailed && !isChange
                guard paths.count > 1 || isOfList && error.status == .noSuchKeychain,
                    isRefused || isPassedOver(error, isChange)
                else { throw error }
                // A search list may name what is not there.
                if error.status != .noSuchKeychain { failure = failure ?? error }
            }
        }
        return failure
    }

    private func isOfOthers(_ path: String, _ context: RequestContext) -> Bool {
        (try? context.services.fileKeychains.path(path)).map { $0.place != .own } ?? false
    }

    /// Whether the keychain, and not the caller, is why nothing came of it.
    private func isPassedOver(_ error: KeychainError, _ isChange: Bool) -> Bool {
        switch error.status {
        case _ where error.cause == .needsFile: false
        case .noSuchKeychain, .invalidKeychain: true
        // Else it is the request that asks for too much.
        case .notAvailable: !isChange && error.cause != .request
        default: false
        }
    }

    private func visitRoots(
        _ context: inout RequestContext, isChange: Bool,
        _ body: ([KeychainItem], inout RequestContext) throws(KeychainError) -> Bool
    ) throws(KeychainError) -> Bool {
        guard let query = try meant({ SystemRootsKeychain.identifier }) else { return true }
        let services = context.services
        let certificates = CertificateItems(services, for: try context.caller, within: context.judgements)
        let items = try services.trust.rootsKeychain.find(query, certificates)
        guard !isChange || items.isEmpty else { throw SystemRootsKeychain.unchangeable }
        return isChange ? true : try body(items, &context)
    }

    /// What the query means in one keychain; nil where the items that it names are in others.
    private func meant(
        _ identifier: () throws(KeychainError) -> StoreIdentifier
    ) throws(KeychainError) -> ItemQuery? {
        guard let items = scope.items else { return query }
        let identifier = try identifier()
        var query = query
        let members = items.filter { $0.keychain == identifier && $0.item.itemClass == query.itemClass }
        guard !members.isEmpty else { return nil }
        query.items = members.map(\.item.identifier)
        return query
    }
}

extension RequestContext {
    /// Does something with the items of the keychain at a path.
    mutating func withKeychain<Answer>(
        at path: String, _ ui: AuthenticationUI, _ prompt: OperationPrompt? = nil,
        _ body: (FileKeychainItems, inout RequestContext) throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        let (keychains, caller) = (services.fileKeychains, try caller)
        // What comes with a keychain's password asks nobody, and has let go of the default keychain.
        let setting = KeychainSetting(
            services, keybag: isOpen ? try opened.store.identifier : nil, for: caller, within: judgements)
        do throws(KeychainError) {
            return try keychains.withKeychain(at: try keychains.path(path)) { (keychain) throws(KeychainError) in
                try body(
                    FileKeychainItems(keychain: keychain, caller: caller, ui: ui, prompt: prompt, setting: setting),
                    &self)
            }
        } catch {
            if error.cause == .needsFile { access.neededFile = path }
            throw error
        }
    }
}

// MARK: What only the data protection keychain has

extension ItemQuery {
    func requireFileKeychain() throws(KeychainError) {
        guard accessGroup == nil, accessibility == nil, constraints == .any else { throw KeychainError.ofOtherKeychain }
    }
}

extension NewItem {
    func requireFileKeychain() throws(KeychainError) {
        guard accessGroup == nil, accessibility == nil, constraints == nil, !isSynchronizable else {
            throw KeychainError.ofOtherKeychain
        }
        guard itemClass != .identity else {
            throw KeychainError(
                .param, "an identity is a certificate and its private key: add a SecIdentity, or these one by one")
        }
        guard privateKeyUse != .enclave, attributes[.tokenID] == nil else { throw KeychainError.ofOtherKeychain }
    }
}

extension ItemChange {
    func requireFileKeychain() throws(KeychainError) {
        guard accessGroup == nil, accessibility == nil, constraints == nil, isSynchronizable == nil else {
            throw KeychainError.ofOtherKeychain
        }
        guard access == nil else {
            throw KeychainError(
                .param, "an access object is changed by itself, since who may is decided about by itself")
        }
    }
}

extension KeychainError {
    fileprivate static var ofOtherKeychain: KeychainError {
        KeychainError(
            .param,
            "items of file keychains have an access object; access groups, protection classes and synchronizing belong to the data protection keychain"
        )
    }
}
