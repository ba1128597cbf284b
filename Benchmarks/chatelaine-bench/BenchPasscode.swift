import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Glibc

/// The passcode of the measured keychain.
enum BenchPasscode {
    static let passcode = SecretBytes("correct horse battery staple".utf8)

    /// Sets the passcode, and waits until all existing rows have the new keys.
    static func set() throws {
        try expect(.set)
        while try KeychainClient.shared.status()["store.resealing"] != nil { usleep(10_000) }
    }

    static func unlock() throws { try expect(.unlock) }
    static func remove() throws { try expect(.remove) }

    /// Unlocks the keychain if it has a passcode.
    static func unlockIfSet() throws {
        if try KeychainClient.shared.device(.state).hasPasscode { try unlock() }
    }

    static func lock() throws {
        let state = try KeychainClient.shared.device(.lock).state
        try BenchError.check(state == .locked, "the keychain is not locked")
    }

    private static func expect(_ command: PasscodeCommand) throws {
        let report = try KeychainClient.shared.call(command, [passcode])
        try BenchError.check(report.outcome == .done, "the passcode: \(command) \(report.outcome)")
    }
}
