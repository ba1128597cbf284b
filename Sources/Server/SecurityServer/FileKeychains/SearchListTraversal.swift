import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol

/// Takes one request through the file keychains that it is about, in their order.
///
/// Where the request names items and no keychain, the search list comes first. Then come the keychains of these items
/// that are not in the list.
struct SearchListTraversal {
    /// Handles one keychain, with the query as it applies there; false ends the traversal.
    typealias Step = (FileKeychainItems, ItemQuery, inout RequestContext) throws(KeychainError) -> Bool

    /// Handles the distribution's certificates that the query describes; false ends the traversal.
    typealias RootsStep = ([KeychainItem], inout RequestContext) throws(KeychainError) -> Bool

    private let scope: KeychainScope
    private let query: ItemQuery

    /// The progress of a traversal.
    private struct Progress {
        var failure: KeychainError?
        /// The visited keychains of named items.
        var met: Set<StoreIdentifier> = []
        /// Whether one of these could not be searched.
        var lacksOne = false

        /// Why a keychain could not be searched.
        ///
        /// That does not count where the items are named and their keychains were searched.
        func failure(of scope: KeychainScope) -> KeychainError? {
            guard !lacksOne, let items = scope.items, items.allSatisfy({ met.contains($0.keychain) }) else {
                return failure
            }
            return nil
        }
    }

    init(_ scope: KeychainScope, _ query: ItemQuery) {
        self.scope = scope
        self.query = query
    }

    /// Whether the traversal goes beyond the search list.
    private var isByReference: Bool { scope.paths.isEmpty && scope.items != nil }

    /// Whether more than one keychain may have items that the request is about.
    func mayChangeSeveral(_ context: RequestContext) throws(KeychainError) -> Bool {
        if let items = scope.items { return Set(items.map(\.keychain)).count > 1 }
        return (scope.paths.isEmpty ? try context.services.searchList() : scope.paths).count > 1
    }

    /// Visits the keychains.
    ///
    /// - Parameters:
    ///   - isChange: whether `body` changes something.
    ///   - roots: handles the distribution's certificates, which refuse every change; not called for changes.
    ///   - body: handles each keychain.
    /// - Returns: why one of several keychains could not be searched, which does not stop the search of the others.
    /// - Throws: what `body` throws where a person has to be asked, or where a change was refused.
    func run(
        _ context: inout RequestContext, isChange: Bool, roots: RootsStep = { _, _ in true }, _ body: Step
    ) throws(KeychainError) -> KeychainError? {
        try query.requireFileKeychain()
        let paths = scope.paths.isEmpty ? try context.services.searchList() : scope.paths
        var progress = Progress()
        for path in paths {
            let isOfList = scope.paths.isEmpty && isOfOthers(path, context)
            let isOneOfMany = paths.count > 1 || isByReference
            guard try visit(path, &context, &progress, isChange, isOfList, isOneOfMany, roots, body) else {
                return progress.failure(of: scope)
            }
        }
        guard isByReference else { return progress.failure(of: scope) }
        for path in try strays(progress, context) where !paths.contains(path) {
            guard try visit(path, &context, &progress, isChange, false, true, roots, body) else { break }
        }
        return progress.failure(of: scope)
    }

    /// The paths at which the unvisited keychains of named items were last open.
    private func strays(_ progress: Progress, _ context: RequestContext) throws(KeychainError) -> [String] {
        var (known, paths) = (progress.met, [String]())
        for item in scope.items ?? [] where known.insert(item.keychain).inserted {
            if item.keychain == SystemRootsKeychain.identifier {
                paths.append(KeychainPath.systemRoots)
            } else if let path = try context.services.fileKeychains.lastPath(of: item.keychain) {
                paths.append(path)
            }
        }
        return paths
    }

    /// Visits one keychain.
    ///
    /// - Parameters:
    ///   - isOfList: whether the keychain comes from the search list and is not in the user's own folder.
    ///   - isOneOfMany: whether other keychains may have the item.
    /// - Returns: whether the traversal goes on.
    private func visit(
        _ path: String, _ context: inout RequestContext, _ progress: inout Progress, _ isChange: Bool, _ isOfList: Bool,
        _ isOneOfMany: Bool, _ roots: RootsStep, _ body: Step
    ) throws(KeychainError) -> Bool {
        do throws(KeychainError) {
            guard path != KeychainPath.systemRoots else {
                return try visitRoots(&context, &progress, isChange, roots)
            }
            return try context.withKeychain(at: path, query.authenticationUI, query.prompt) {
                (keychain, context) throws(KeychainError) in
                guard
                    let query = try meant(
                        &progress,
                        in: { () throws(KeychainError) in
                            try keychain.keychain.identifier()
                        })
                else { return true }
                do throws(KeychainError) { return try body(keychain, query, &context) } catch {
                    progress.lacksOne = true
                    throw error
                }
            }
        } catch {
            // Every search list has the system keychain, which may not exist and whose secrets belong to root.
            let isRefused = isOfList && error.status == .authFailed && !isChange
            guard isOneOfMany || isOfList && error.status == .noSuchKeychain,
                isRefused || isPassedOver(error, isChange)
            else { throw error }
            // A search list may name missing keychains.
            if error.status != .noSuchKeychain { progress.failure = progress.failure ?? error }
            return true
        }
    }

    private func isOfOthers(_ path: String, _ context: RequestContext) -> Bool {
        (try? context.services.fileKeychains.path(path)).map { $0.place != .own } ?? false
    }

    /// Whether the failure is the keychain's and not the caller's.
    private func isPassedOver(_ error: KeychainError, _ isChange: Bool) -> Bool {
        switch error.status {
        case _ where error.cause == .needsFile: false
        case .noSuchKeychain, .invalidKeychain: true
        // With the cause `request`, the request itself asks for too much.
        case .notAvailable: !isChange && error.cause != .request
        default: false
        }
    }

    private func visitRoots(
        _ context: inout RequestContext, _ progress: inout Progress, _ isChange: Bool, _ body: RootsStep
    ) throws(KeychainError) -> Bool {
        guard let query = try meant(&progress, in: { SystemRootsKeychain.identifier }) else { return true }
        let services = context.services
        let certificates = CertificateItems(services, for: try context.caller, within: context.judgements)
        let items = try services.trust.rootsKeychain.find(query, certificates)
        guard !isChange || items.isEmpty else { throw SystemRootsKeychain.unchangeable }
        return isChange ? true : try body(items, &context)
    }

    /// The query as it applies to one keychain; nil where the items that it names are in others.
    private func meant(
        _ progress: inout Progress, in keychain: () throws(KeychainError) -> StoreIdentifier
    ) throws(KeychainError) -> ItemQuery? {
        guard let items = scope.items else { return query }
        let identifier = try keychain()
        progress.met.insert(identifier)
        var query = query
        let members = items.filter { $0.keychain == identifier && $0.item.itemClass == query.itemClass }
        guard !members.isEmpty else { return nil }
        query.items = members.map(\.item.identifier)
        return query
    }
}

extension RequestContext {
    /// Runs `body` with the items of the keychain at a path.
    mutating func withKeychain<Answer>(
        at path: String, _ ui: AuthenticationUI, _ prompt: OperationPrompt? = nil,
        _ body: (FileKeychainItems, inout RequestContext) throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        let (keychains, caller) = (services.fileKeychains, try caller)
        // A request with a keychain's password asks nobody, and has released the default keychain.
        let setting = KeychainSetting(
            services, keybag: isOpen ? try opened.store.identifier : nil, for: caller,
            within: judgements)
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
        guard keyCustody != .enclave, attributes[.tokenID] == nil else { throw KeychainError.ofOtherKeychain }
        try attributes.requireKeyClass(of: itemClass)
    }
}

extension ItemChange {
    func requireFileKeychain() throws(KeychainError) {
        guard accessGroup == nil, accessibility == nil, constraints == nil, isSynchronizable == nil else {
            throw KeychainError.ofOtherKeychain
        }
        guard access == nil else {
            throw KeychainError(
                .param, "an access object cannot be changed together with attributes: change it by a call of its own")
        }
        try attributes.requireKeyClass(of: .key)
    }
}

extension AttributeSet {
    /// A search looks at the three classes of keys.
    ///
    /// It would never find a key of any other class.
    fileprivate func requireKeyClass(of itemClass: ItemClass) throws(KeychainError) {
        guard itemClass == .key, let value = self[.keyClass] else { return }
        guard case .number(let number) = value, KeyHalf(rawValue: number) != nil else {
            throw KeychainError(.param, "a key of a file keychain is public, private or symmetric")
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
