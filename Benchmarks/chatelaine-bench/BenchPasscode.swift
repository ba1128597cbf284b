import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Glibc

/// The passcode of the keychain that is measured.
enum BenchPasscode {
    static let passcode = SecretBytes("correct horse battery staple".utf8)

    /// Sets it, and waits until the rows that are there have the new keys.
    static func set() throws {
        try expect(.set)
        while try KeychainClient.shared.status()["store.resealing"] != nil { usleep(10_000) }
    }

    static func unlock() throws { try expect(.unlock) }
    static func remove() throws { try expect(.remove) }

    /// For a store that was filled or measured with a passcode or without.
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
