import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation
import Testing

/// The file keychains of a household.
extension Household {
    var keychains: String { "\(home)/data/keychains" }

    func path(_ name: String) throws -> String { try KeychainPath(name, try client.deployment).text }

    @discardableResult
    func create(_ name: String, _ password: String = "right") throws -> PasscodeOutcome {
        try client.call(.create(path: try path(name)), [SecretBytes(Array(password.utf8))]).outcome
    }

    func unlock(_ name: String, _ password: String = "right") throws -> PasscodeOutcome {
        try client.call(.unlock(path: try path(name)), [SecretBytes(Array(password.utf8))]).outcome
    }

    func change(_ name: String, _ password: String, _ new: String) throws -> PasscodeOutcome {
        try client.call(
            KeychainPasswordCommand.change(path: try path(name)),
            [password, new].map { SecretBytes(Array($0.utf8)) }
        ).outcome
    }

    func lock(_ name: String) throws { _ = try client.call(KeychainCommand.lock(path: try path(name))) }
    func delete(_ name: String) throws { try client.carryOut(.delete(path: try path(name))) }

    func settings(_ name: String) throws -> KeychainSettings {
        try client.settings(ofKeychain: KeychainPath(name, try client.deployment), .fail)
    }

    func set(_ name: String, interval: UInt32, sleep: Bool = true) throws {
        var settings = KeychainSettings()
        (settings.lockInterval, settings.locksOnSleep) = (interval, sleep)
        try client.set(settings, ofKeychain: KeychainPath(name, try client.deployment), .fail)
    }

    /// Apple's status bits of a keychain.
    func bits(_ name: String) throws -> UInt32 {
        try client.state(ofKeychain: KeychainPath(name, try client.deployment)).statusBits
    }

    /// The names in a folder of the household.
    func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(home)/\(folder)")) ?? []).sorted()
    }

    /// The files in our folder of open keychains, without the snapshots, which stay.
    var checkedOut: [String] { names(in: "data/file-keychains").filter { !$0.hasSuffix(".snapshots") } }
}
