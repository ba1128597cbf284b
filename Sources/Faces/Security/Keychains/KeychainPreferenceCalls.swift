import ChatelaineIPC
import ChatelaineModel
import CoreFoundation
import Synchronization

/// The `SecKeychain` calls about search lists and default keychains, for Swift and for C alike.
///
/// A nil domain means ``domain``, the one that this process has set.
package enum KeychainPreferenceCalls {
    private static let preferred = Atomic<UInt8>(PreferenceDomain.user.rawValue)

    private static var client: KeychainClient { .shared }

    /// The domain for calls that name none.
    package static var domain: PreferenceDomain {
        get { PreferenceDomain(rawValue: preferred.load(ordering: .relaxed)) ?? .user }
        set { preferred.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// - Throws: `errSecInvalidPrefsDomain` for a number that stands for no domain.
    package static func domain(_ number: Int32) throws(KeychainError) -> PreferenceDomain {
        guard let domain = UInt8(exactly: number).flatMap(PreferenceDomain.init) else {
            throw KeychainError(.invalidPrefsDomain, "there is no preference domain \(number)")
        }
        return domain
    }

    /// The whole search list; for a named domain, that domain's own list.
    package static func searchList(of domain: PreferenceDomain?) throws(KeychainError) -> [SecKeychain] {
        let paths =
            if let domain { try client.read(.searchList, of: domain) } else {
                try client.read(.searched, of: self.domain)
            }
        return try keychains(at: paths)
    }

    package static func setSearchList(
        of domain: PreferenceDomain?, to keychains: [SecKeychain]
    ) throws(KeychainError) {
        let paths = keychains.map(\.path.text)
        if let domain { return try client.set(.searchList, of: domain, to: paths) }
        try client.set(.searched, of: self.domain, to: paths)
    }

    package static func defaultKeychain(of domain: PreferenceDomain?) throws(KeychainError) -> SecKeychain? {
        try keychains(at: try client.read(.defaultKeychain, of: domain ?? self.domain)).first
    }

    /// - Parameter keychain: nil for the current default keychain.
    package static func setDefaultKeychain(
        of domain: PreferenceDomain?, to keychain: SecKeychain?
    ) throws(KeychainError) {
        let path = if let keychain { keychain.path } else { try DefaultKeychain.path() }
        try client.set(.defaultKeychain, of: domain ?? self.domain, to: [path.text])
    }

    private static func keychains(at paths: [String]) throws(KeychainError) -> [SecKeychain] {
        let deployment = try client.deployment
        var keychains: [SecKeychain] = []
        for path in paths { keychains.append(SecKeychain.at(try KeychainPath(path, deployment))) }
        return keychains
    }

    // MARK: Lists

    static func keychains(_ list: CFArray) throws(KeychainError) -> [SecKeychain] {
        guard list.count <= KeychainPreferences.maximumKeychains else { throw tooMany }
        var keychains: [SecKeychain] = []
        for index in 0..<list.count {
            guard let keychain = list.storedObject(at: index) as? SecKeychain else {
                throw KeychainError(.param, "a search list holds something else than SecKeychain objects")
            }
            keychains.append(keychain)
        }
        return keychains
    }

    package static var tooMany: KeychainError {
        KeychainError(.dataTooLarge, "a search list has \(KeychainPreferences.maximumKeychains) keychains at the most")
    }
}
