import ChatelaineIPC
import ChatelaineIdentityPreferences
import ChatelaineModel
import Glibc

/// The calls about identities of the machine, for Swift and for C alike.
///
/// A domain's preference names the identity that its services use. Root stores it in the system keychain alone, since
/// another keychain could name anybody's identity. The preference holds the hash of the key, so that it also applies
/// to a renewed certificate.
package enum SystemIdentityCalls {
    /// The domain that stands for all domains without an identity of their own.
    private static let common = "com.apple.systemdefault"
    private static let keychain = "/Library/Keychains/System.keychain"

    /// - Parameter identity: nil removes the domain's own identity.
    /// - Throws: `errSecAuthFailed` for callers other than root, `errSecItemNotFound` where the system keychain has
    ///   no such identity.
    package static func set(_ identity: SecIdentity?, for domain: QueryValue) throws(KeychainError) {
        guard geteuid() == 0 else {
            throw KeychainError(.authFailed, "root says which identity the machine has: use sudo")
        }
        let path = try path()
        let preferences = preferences(in: path)
        let name = try name(of: domain)
        guard let identity else { return try preferences.remove(name) }
        let report = try identity.certificate.report()
        guard try newest(report.key.hash, in: path) != nil else {
            throw KeychainError(
                .itemNotFound,
                "the machine\u{2019}s identity has to be in the system keychain, and this one is not: import it there")
        }
        try preferences.set(report.key.hash, called: report.summary ?? "certificate", for: name, in: path)
    }

    /// The identity of a domain, or the default identity where the domain has none.
    ///
    /// - Throws: `errSecNotAvailable` where neither has an identity, or it is no longer in the system keychain.
    package static func identity(
        for domain: QueryValue
    ) throws(KeychainError) -> (identity: SecIdentity, domain: String) {
        let path = try path()
        let preferences = preferences(in: path)
        let name = try name(of: domain)
        for candidate in name == common ? [common] : [name, common] {
            guard let key = try found({ () throws(KeychainError) in try preferences.reference(for: candidate) }),
                let identity = try newest(key, in: path)
            else { continue }
            return (identity, candidate)
        }
        throw KeychainError(.notAvailable, "the machine has no identity for \(name), and none for all")
    }

    private static func path() throws(KeychainError) -> KeychainPath {
        try KeychainPath(keychain, try KeychainClient.shared.deployment)
    }

    private static func preferences(in path: KeychainPath) -> IdentityPreferences {
        IdentityPreferences(
            .machine, usage: 0, of: KeychainClient.shared, KeychainItemCalls.authenticationUI, in: path)
    }

    private static func name(of domain: QueryValue) throws(KeychainError) -> String {
        guard case .text(let name) = domain, !name.isEmpty else {
            throw KeychainError(.param, "the domain of a system identity is a string that is not empty")
        }
        return name
    }

    /// The identity with this key whose certificate is valid the longest.
    private static func newest(_ key: [UInt8], in path: KeychainPath) throws(KeychainError) -> SecIdentity? {
        var query = ItemQuery(itemClass: .identity)
        query.attributes[.publicKeyHash] = .data(key)
        (query.limit, query.returns) = (.all, .reference)
        query.authenticationUI = KeychainItemCalls.authenticationUI
        let scope = KeychainScope(paths: [path.text])
        let tree = try found { () throws(KeychainError) in try FileItemCalls.find(query, in: scope, nil) }
        guard case .array(let results)?? = tree else { return nil }
        var best: (end: Int64, identity: SecIdentity)?
        for case .identity(let der, let key, let handle) in results {
            let identity = SecIdentity(der, key, at: handle)
            let end = try identity.certificate.report().notAfter
            if best.map({ $0.end < end }) ?? true { best = (end, identity) }
        }
        return best?.identity
    }

    /// Runs a search; nil where nothing is found, or where there is no system keychain.
    private static func found<Result>(
        _ body: () throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result? {
        do throws(KeychainError) { return try body() } catch {
            guard error.status == .itemNotFound || error.status == .noSuchKeychain else { throw error }
            return nil
        }
    }
}
