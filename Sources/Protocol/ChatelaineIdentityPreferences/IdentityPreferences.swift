import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// Reads and writes items of file keychains: ``KeychainClient`` in a program, a stand-in in tests.
package protocol FileItemService: Sendable {
    func find(_ query: ItemQuery, in scope: KeychainScope) throws(KeychainError) -> [KeychainItem]
    /// - Parameter keychain: nil for the default keychain.
    func add(_ item: NewItem, to keychain: KeychainPath?) throws(KeychainError) -> KeychainItem
    func update(_ query: ItemQuery, _ change: ItemChange, in scope: KeychainScope) throws(KeychainError)
    func delete(_ query: ItemQuery, in scope: KeychainScope, asksPerson: Bool) throws(KeychainError)
}

extension KeychainClient: FileItemService {}

/// The identities or certificates that a person prefers for services.
///
/// As on macOS, a preference is a generic password of a file keychain, without a secret. Its service is the name, its
/// type says what is preferred, and its script code holds the uses of the key. Its generic attribute holds a persistent
/// reference to the identity or certificate.
package struct IdentityPreferences {
    package enum Kind: Sendable {
        case identity
        case certificate
        /// The machine's identity for a domain. The item names the hash of the identity's key in place of a reference,
        /// so that it holds for a renewed certificate.
        case machine

        /// The item's type: `iprf`, `cprf` or `sysi`.
        fileprivate var type: Int64 {
            switch self {
            case .identity: 0x6970_7266
            case .certificate: 0x6370_7266
            case .machine: 0x7379_7369
            }
        }
        fileprivate var noun: String {
            switch self {
            case .identity: "identity preference"
            case .certificate: "certificate preference"
            case .machine: "system identity"
            }
        }
    }

    /// The most parts of a URL that are removed one after the other, so that a long name costs no work.
    private static let maximumParts = 64
    private static let usage = AttributeKey("scrp") ?? .type

    private let service: any FileItemService
    private let kind: Kind
    /// Uses of the key, as bits of `CSSM_KEYUSE_…`; 0 for any use.
    private let usage: Int64
    /// Whether a person may be asked, to unlock a keychain or about an item.
    private let authenticationUI: AuthenticationUI
    /// The keychains in which preferences are looked for.
    private let scope: KeychainScope

    /// - Parameter keychain: the only keychain in which preferences count; nil for the user's search list.
    package init(
        _ kind: Kind, usage: Int64, of service: any FileItemService, _ authenticationUI: AuthenticationUI = .allow,
        in keychain: KeychainPath? = nil
    ) {
        (self.kind, self.usage, self.service, self.authenticationUI) = (kind, usage, service, authenticationUI)
        scope = KeychainScope(paths: keychain.map { [$0.text] } ?? [])
    }

    /// Sets what is preferred for a name, in place of a former preference.
    ///
    /// - Parameters:
    ///   - reference: a persistent reference to the identity or certificate.
    ///   - label: the name of the identity or certificate, for people.
    ///   - keychain: where a new preference is stored; nil for the default keychain.
    package func set(
        _ reference: [UInt8], called label: String, for name: String, in keychain: KeychainPath? = nil
    ) throws(KeychainError) {
        try Self.check(name)
        if let item = try find(name) {
            var query = ItemQuery(itemClass: .genericPassword)
            (query.limit, query.authenticationUI) = (.one, authenticationUI)
            var change = ItemChange()
            change.attributes[.generic] = .data(reference)
            change.attributes[.account] = .text(account(label))
            return try service.update(query, change, in: KeychainScope(paths: [item.path], items: [item.reference]))
        }
        var item = NewItem(itemClass: .genericPassword)
        item.attributes = attributes(name)
        item.attributes[.generic] = .data(reference)
        item.attributes[.account] = .text(account(label))
        item.attributes[.label] = .text(name)
        item.attributes[.itemDescription] = .text(kind.noun)
        item.secret = SecretBytes([])
        item.authenticationUI = authenticationUI
        _ = try service.add(item, to: keychain)
    }

    /// - Throws: `errSecItemNotFound` where nothing is preferred for the name itself.
    package func remove(_ name: String) throws(KeychainError) {
        try Self.check(name)
        guard let item = try find(name) else {
            throw KeychainError(.itemNotFound, "nothing is preferred for that name")
        }
        var query = ItemQuery(itemClass: .genericPassword)
        (query.limit, query.authenticationUI) = (.one, authenticationUI)
        try service.delete(
            query, in: KeychainScope(paths: [item.path], items: [item.reference]), asksPerson: true)
    }

    /// The persistent reference that is preferred for a name; for a URL, also one for a shorter URL or its host.
    ///
    /// - Throws: `errSecItemNotFound` where nothing is preferred.
    package func reference(for name: String) throws(KeychainError) -> [UInt8] {
        try Self.check(name)
        for candidate in Self.candidates(name) {
            if let item = try find(candidate), case .data(let reference)? = item.item.attributes[.generic] {
                return reference
            }
        }
        throw KeychainError(.itemNotFound, "nothing is preferred for that name")
    }

    // MARK: Names

    static func candidates(_ name: String) -> [String] {
        var parts = name.split(separator: "/", maxSplits: maximumParts, omittingEmptySubsequences: false)
        // A URL: a scheme with its colon, an empty part, the host, and the path.
        guard parts.count > 2, parts[0].last == ":", parts[1].isEmpty else { return [name] }
        let host = String(parts[2])
        var names = [name]
        while parts.count > 3 {
            parts.removeLast()
            let shorter = parts.joined(separator: "/")
            names += [shorter + "/", shorter]
        }
        return names + [host]
    }

    private static func check(_ name: String) throws(KeychainError) {
        guard !name.isEmpty else { throw KeychainError(.param, "a preference is for a name, and that is empty") }
    }

    // MARK: Items

    private func attributes(_ name: String) -> AttributeSet {
        var attributes = AttributeSet()
        attributes[.service] = .text(name)
        attributes[.type] = .number(kind.type)
        attributes[Self.usage] = .number(usage)
        return attributes
    }

    /// Includes kind and use, since only service and account tell items apart.
    private func account(_ label: String) -> String {
        usage == 0 ? "\(label) (\(kind.noun))" : "\(label) (\(kind.noun), \(usage))"
    }

    private func find(_ name: String) throws(KeychainError) -> KeychainItem? {
        var query = ItemQuery(itemClass: .genericPassword)
        (query.attributes, query.returns, query.limit) = (attributes(name), .attributes, .one)
        query.authenticationUI = authenticationUI
        do throws(KeychainError) { return try service.find(query, in: scope).first } catch {
            guard error.status == .itemNotFound else { throw error }
            return nil
        }
    }
}
