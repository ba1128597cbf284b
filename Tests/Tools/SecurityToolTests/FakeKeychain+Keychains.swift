import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

@testable import SecurityTool

/// Requests about file keychains: there is one, `/nonexistent/chatelaine/data/keychains/a-db`, whose password is
/// “right”.
extension FakeKeychain {
    func call(
        _ command: KeychainPasswordCommand, _ passwords: [SecretBytes]
    ) throws(KeychainError) -> KeychainPasswordReport {
        asked.withLock { $0.append(.keychainPassword(command, passwords)) }
        var report = KeychainPasswordReport()
        if case .create(let path) = command {
            if path.hasSuffix("/a-db") { throw KeychainError(.duplicateKeychain, "\(path) is there already") }
            return report
        }
        if passwords.first != SecretBytes("right".utf8) { (report.outcome, report.delay) = (.wrong, 900) }
        return report
    }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) {
        asked.withLock { $0.append(.keychain(command)) }
        if case .delete(let path) = command, !path.hasSuffix("/a-db") { throw KeychainError(.noSuchKeychain, "") }
    }

    func state(ofKeychain path: KeychainPath) throws(KeychainError) -> KeychainState {
        guard path.text.hasSuffix("/a-db") else { throw KeychainError(.noSuchKeychain, "") }
        return keychainState.withLock { $0 }
    }

    func resetKeychains(password: SecretBytes) throws(KeychainError) -> String? {
        given.withLock { $0.append(password) }
        return "/k/login_renamed_1.keychain-db"
    }

    func ask(_ question: KeychainQuestion) throws(KeychainError) {
        asked.withLock { $0.append(.keychainQuestion(question)) }
        if question == .unlock(path: "/nonexistent/chatelaine/data/keychains/b-db") {
            throw KeychainError(.userCanceled, "the person who was asked gave no answer")
        }
    }

    func settings(ofKeychain path: KeychainPath, _ ui: AuthenticationUI) throws(KeychainError) -> KeychainSettings {
        keychainSettings.withLock { $0 }
    }

    func set(
        _ settings: KeychainSettings, ofKeychain path: KeychainPath, _ ui: AuthenticationUI
    ) throws(KeychainError) {
        guard path.text.hasSuffix("/a-db") else { throw KeychainError(.interactionNotAllowed, "it is locked") }
        keychainSettings.withLock { $0 = settings }
    }

    func read(_ preference: KeychainPreference, of domain: PreferenceDomain) throws(KeychainError) -> [String] {
        asked.withLock { $0.append(.preference(preference, domain, nil)) }
        return switch (preference, domain) {
        case (.searched, _): ["/k/login.keychain-db", "/k/with \u{1B} in it", "/m/System.keychain-db"]
        case (.searchList, .user): ["/k/login.keychain-db", "/k/with \u{1B} in it"]
        case (.defaultKeychain, .user): defaultKeychain.withLock { $0.map { [$0] } ?? [] }
        case (.defaultKeychain, .dynamic): throw KeychainError(.invalidPrefsDomain, "")
        case (.defaultKeychain, _): throw KeychainError(.noDefaultKeychain, "none is set")
        case (.searchList, _), (.loginKeychain, _): []
        }
    }

    func set(
        _ preference: KeychainPreference, of domain: PreferenceDomain, to places: [String]
    ) throws(KeychainError) {
        asked.withLock { $0.append(.preference(preference, domain, places)) }
        if domain == .common { throw KeychainError(.readOnly, "root alone changes it") }
    }
}
