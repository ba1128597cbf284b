import Foundation
import Security

/// A file keychain of a benchmark, and the timed calls; each function prepares a call, as in ``Workload``.
struct KeychainWorkload {
    static let password = [UInt8]("correct horse battery staple".utf8)
    private static let service = "chatelaine-bench"

    let name: String
    let keychain: SecKeychain

    /// Makes the keychain. It is unlocked, and never locks by itself.
    init(_ name: String) throws {
        self.name = name
        keychain = try Self.create(name)
        var settings = SecKeychainSettings(
            version: UInt32(SEC_KEYCHAIN_SETTINGS_VERS1), lockOnSleep: false, useLockInterval: false,
            lockInterval: UInt32(Int32.max))
        try Self.check(SecKeychainSetSettings(keychain, &settings), "settings of \(name)")
    }

    static func create(_ name: String) throws -> SecKeychain {
        var made: SecKeychain?
        try check(SecKeychainCreate(name, UInt32(password.count), password, false, nil, &made), "creation of \(name)")
        guard let made else { throw BenchError("creation of \(name): no keychain") }
        return made
    }

    func fill(_ range: Range<Int>) throws { for index in range { try add("\(index)")() } }

    // MARK: Keychains

    static func unlock(_ keychain: SecKeychain) throws {
        try check(SecKeychainUnlock(keychain, UInt32(password.count), password, true), "unlock")
    }

    static func lock(_ keychain: SecKeychain) throws { try check(SecKeychainLock(keychain), "lock") }

    static func delete(_ keychain: SecKeychain) throws { try check(SecKeychainDelete(keychain), "deletion") }

    /// Uses a temporary keychain as a build does, with an unlock.
    static func useOnce(_ name: String) throws {
        let keychain = try create(name)
        try lock(keychain)
        try unlock(keychain)
        try add("signing", to: keychain)()
        try delete(keychain)
    }

    // MARK: Items

    func add(_ account: String) -> () throws -> Void { Self.add(account, to: keychain) }

    private static func add(_ account: String, to keychain: SecKeychain) -> () throws -> Void {
        let attributes: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            kSecAttrAccount as String: account, kSecAttrLabel as String: "An account of the benchmark, \(account)",
            kSecValueData as String: Data(repeating: 7, count: 24), kSecUseKeychain as String: keychain,
        ]
        let dictionary = attributes as CFDictionary
        return { try check(SecItemAdd(dictionary, nil), "addition") }
    }

    /// Copies the secret of one of the items that ``fill(_:)`` has made.
    func copySecret(_ index: Int) -> () throws -> Void {
        Self.find("\(index)", in: [keychain], returning: kSecReturnData)
    }

    /// Copies the attributes of the first item of an account.
    static func copyAttributes(_ account: String, in keychains: [SecKeychain]) -> () throws -> Void {
        find(account, in: keychains, returning: kSecReturnAttributes)
    }

    private static func find(
        _ account: String, in keychains: [SecKeychain], returning: CFString
    ) -> () throws -> Void {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            kSecAttrAccount as String: account, kSecMatchSearchList as String: keychains,
            returning as String: true, kSecMatchLimit as String: kSecMatchLimitOne,
        ]
        let dictionary = query as CFDictionary
        return {
            var result: CFTypeRef?
            let status = SecItemCopyMatching(dictionary, &result)
            try BenchError.check(status == 0 && result != nil, "look-up in \(keychains.count) keychains: \(status)")
        }
    }

    private static func check(_ status: OSStatus, _ what: String) throws {
        try BenchError.check(status == 0, "\(what): \(status)")
    }
}
