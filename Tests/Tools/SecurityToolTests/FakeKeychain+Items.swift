import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

@testable import SecurityTool

/// Items of file keychains: two in `a-db`, and one access object for both.
///
/// Programs are in `/usr/bin` and `/opt`.
extension FakeKeychain {
    static let path = "/nonexistent/chatelaine/data/keychains/a-db"

    static let fixedKeychainItems = [
        item(
            .genericPassword, 1,
            [
                .service: .text("mail"), .account: .text("anna"), .label: .text("Post"), .creationDate: .date(0),
                .modificationDate: .date(86_399.9), .creator: .number(0x6162_6364), .type: .number(80),
                .generic: .data([0, 255]), .comment: .text("a\\b"), .itemDescription: .text(""),
            ], secret: Array("s3cret".utf8)),
        item(
            .internetPassword, 2,
            [
                .server: .text("example.org"), .account: .text("änne"), .label: .text("example.org"),
                .port: .number(443), .protocolType: .text("htps"), .authenticationType: .text("dflt"),
                .securityDomain: .text(""), .path: .text("/a"), .creationDate: .date(0), .modificationDate: .date(0),
            ], secret: [0x61, 0xFF, 0x0A]),
    ]

    /// A certificate, which is not one of the fixed items.
    static let certificate = item(.certificate, 4, [.label: .text("Root")], secret: [0x30, 1, 7])

    /// A private key, which is not one of the fixed items.
    static let key = item(
        .key, 3, [.label: .text("signing"), .keyClass: .number(KeyHalf.privateKey.rawValue), .type: .number(73)],
        secret: [])

    private static func item(
        _ itemClass: ItemClass, _ number: UInt8, _ values: [AttributeKey: AttributeValue], secret: [UInt8]
    ) -> KeychainItem {
        var attributes = AttributeSet()
        for (key, value) in values { attributes[key] = value }
        let found = FoundItem(
            identifier: ItemIdentifier(Array(repeating: number, count: 16)) ?? ItemIdentifier(), itemClass: itemClass,
            accessibility: .whenUnlocked, isSynchronizable: false, attributes: EncodedAttributes(attributes),
            secret: SecretBytes(secret))
        return KeychainItem(
            found, of: StoreIdentifier(Array(repeating: 7, count: 16)) ?? StoreIdentifier(), at: path, isVerified: true)
    }

    static let fixedAccess: AccessObject = {
        let tool = TrustedApplication(.securityTool, .shared, at: "/usr/bin/security")
        let gone = TrustedApplication(.identifier("path:/srv/gone"), .file, at: "/srv/gone")
        let access = AccessObject.default(descriptor: "Post", trusted: [tool, gone])
        return access.partitioned(PartitionList([.appleTool, .apple]))
    }()

    func find(_ query: ItemQuery, in scope: KeychainScope) throws(KeychainError) -> [KeychainItem] {
        note(.findInKeychains(query, scope))
        if let path = scope.paths.first, path != Self.path {
            throw KeychainError(.noSuchKeychain, "there is no keychain at \(path)")
        }
        if unreadable.withLock({ $0 == query.itemClass }) { throw KeychainError(.dataTooLarge, "so many items") }
        let isBlind = blindSearches.withLock { count in
            defer { count = max(0, count - 1) }
            return count > 0
        }
        let found = (isBlind ? [] : keychainItems.withLock { $0 }).filter { item in
            item.item.itemClass == query.itemClass && AttributeDemand(query).isSatisfied(by: item.item.attributes)
                && scope.items.map { $0.contains(item.reference) } ?? true
        }
        if found.isEmpty { throw KeychainError(.itemNotFound, "no item matches") }
        if query.returns.contains(.data) { try refuse() }
        return found.prefix(query.limit.maximum).map { item in
            var item = item
            if !query.returns.contains(.data) { item.item.secret = nil }
            return item
        }
    }

    func add(_ item: NewItem, to keychain: KeychainPath?) throws(KeychainError) -> KeychainItem {
        note(.addToKeychain(item, keychain))
        if item.attributes[.account] == .text("anna") { throw KeychainError(.duplicateItem, "it is there already") }
        return keychainItems.withLock { $0.first ?? FakeKeychain.fixedKeychainItems[0] }
    }

    func makeKey(_ pair: NewKeyPair, in path: String?) throws(KeychainError) -> KeychainItem {
        throw KeychainError(.notAvailable, "nobody makes keys here")
    }

    func update(_ query: ItemQuery, _ change: ItemChange, in scope: KeychainScope) throws(KeychainError) {
        note(.updateInKeychains(query, change, scope))
        try refuse()
    }

    func delete(_ query: ItemQuery, in scope: KeychainScope, asksPerson: Bool) throws(KeychainError) {
        note(.deleteInKeychains(query, scope, asksPerson: asksPerson))
        try refuse()
        keychainItems.withLock { items in items.removeAll { scope.items?.contains($0.reference) == true } }
    }

    func access(
        of item: KeychainItemReference, in path: String, _ ui: AuthenticationUI
    ) throws(KeychainError) -> AccessObject {
        if let refusal = accessRefusal.withLock({ $0 }) { throw refusal }
        return access.withLock { $0 }
    }

    func setAccess(
        _ access: AccessObject, of item: KeychainItemReference, in path: String, _ ui: AuthenticationUI
    ) throws(KeychainError) {
        note(.setAccess(access, item, nil))
        try refuse()
    }

    func setAccess(
        _ changes: [ItemAccess], in path: String, password: SecretBytes
    ) throws(KeychainError) -> KeychainPasswordReport {
        for change in changes { note(.setAccess(change.access, change.item, password)) }
        var report = KeychainPasswordReport()
        if password != SecretBytes("right".utf8) { report.outcome = .wrong }
        return report
    }

    func trustedApplication(at path: String?) throws(KeychainError) -> TrustedApplication {
        note(.trusted(path))
        switch path {
        case nil, "/usr/bin/security": return TrustedApplication(.securityTool, .shared, at: "/usr/bin/security")
        case let path? where path.hasPrefix("/opt/"):
            return TrustedApplication(.identifier("path:\(path)"), .file, at: ExactText(path))
        default: throw KeychainError(Status(rawValue: 100_002), "there is no program at \(path ?? "")")
        }
    }

    private func refuse() throws(KeychainError) { if let refusal = refusal.withLock({ $0 }) { throw refusal } }
}
