import ChatelaineMemory
import ChatelaineModel
import Enclave
import EnclaveProtocol
import InProcess
import ItemStore

/// The home in which a scenario runs.
typealias Home = InProcessHome

extension InProcessHome {
    static let group: AccessGroup = "fault.injection.group"
    static let service = "fault-injection"

    convenience init(_ path: String, isMarked: Bool = true) {
        var settings = InProcessHome.settings
        settings.passwordHash = .quick
        settings.keyWorkers = OwnKeyWorker()
        self.init(path, settings: settings, time: 800_000_000, isMarked: isMarked)
    }

    static let passcode = "a passcode"

    /// Unlocks the keychain if it has a passcode.
    func unlockIfNeeded() throws(KeychainError) {
        let store = try opened().identifier
        let report = try ask(ReadPasscodeStatus(.agent, in: store))
        guard report.hasPasscode, report.state != .unlocked else { return }
        guard try outcome(UnlockStore(.agent, in: store), Self.passcode) == .done else {
            throw KeychainError(.authFailed, "the passcode is another")
        }
    }

    /// Finds all items, by account.
    func items() throws(KeychainError) -> [String: Item] {
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes[.service] = .text(Self.service)
        query.synchronizable = .any
        query.limit = .all
        query.returns = [.data, .attributes]
        var items: [String: Item] = [:]
        for found in try opened().find(query, groups: [Self.group]) {
            guard case .text(let account)? = found.attributes[.account], let secret = found.secret else {
                throw KeychainError(.decode, "an item without an account or a secret")
            }
            var label = ""
            if case .text(let text)? = found.attributes[.label] { label = text }
            items[account] = Item(
                secret: secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }, label: label)
        }
        return items.merging(try keys()) { first, _ in first }
    }
}

extension PasswordHash {
    /// A fast hash without protection: there are many rounds, and they only test files.
    static let quick = PasswordHash(
        derive: { passcode, salt, _ throws(KeychainError) in
            SecretBytes(
                passcode.withUnsafeBytes { bytes in (0..<32).map { bytes[$0 % bytes.count] ^ salt[$0 % salt.count] } })
        }, processorTime: { 0 })
}
