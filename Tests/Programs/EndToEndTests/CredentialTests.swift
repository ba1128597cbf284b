import ChatelaineIPC
import ChatelaineModel
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of the passcode as a systemd credential, the way a server has it.
@Suite struct CredentialTests {
    private let household: Household
    private var folder: String { household.home + "/credentials" }
    private var path: String { folder + "/chatelaine.passcode" }

    init() throws {
        household = try Household()
        try #require(mkdir(folder, 0o700) == 0)
    }

    private func write(_ passcode: String) throws {
        unlink(path)
        try Data(passcode.utf8).write(to: URL(fileURLWithPath: path))
    }

    /// Starts a daemon with the credential folder, in place of the former daemon.
    private func start() throws -> Program {
        household.dismiss()
        var variables = household.variables
        variables["CREDENTIALS_DIRECTORY"] = folder
        let daemon = try Program(["\(BuildFolder.daemons)/securityd"], environment: variables, isQuiet: true)
        try until("the daemon serves", within: Program.patience) { household.daemonPID != nil }
        return daemon
    }

    private var outcome: String? {
        get throws {
            guard case .text(let text)? = try household.client.status()["device.credential"] else { return nil }
            return text
        }
    }
    private var state: LockState { get throws { try household.client.device(.state).state } }

    @Test func itUnlocksOnceAtTheStart() throws {
        let probe = try household.probe()
        #expect(try probe.add("ada", "s3cret") == 0)
        try household.passcode(.set, Household.passcode)
        try write(Household.passcode)
        let daemon = try start()
        // The first caller finds the device unlocked.
        #expect(try probe.find("ada").data == Data("s3cret".utf8))
        #expect(try outcome == "unlocked" && state == .unlocked)
        if geteuid() == 0 {
            let custodian = try #require(household.custodianPID)
            for pid in [daemon.pid, custodian] + household.helperPIDs {
                #expect(try ProcessTable.places(of: Household.passcode, inMemoryOf: pid) == [])
            }
        }
        #expect(try household.client.device(.lock).state == .locked)
        try household.killCustodian()
        #expect(try state == .beforeFirstUnlock)
        #expect(try household.passcode(.unlock, Household.passcode).outcome == .done)
    }

    @Test func aWrongOneIsOneTryAndNoHindrance() throws {
        try household.passcode(.set, Household.passcode)
        // All bytes of the credential count, an end of line included.
        for passcode in ["wrong", Household.passcode + "\n", "wrong", "wrong", "wrong"] {
            try write(passcode)
            let daemon = try start()
            #expect(try outcome == "wrong" && state == .beforeFirstUnlock)
            withExtendedLifetime(daemon) {}
        }
        try write(Household.passcode)
        let daemon = try start()
        #expect(try outcome == "delayed" && state == .beforeFirstUnlock)
        // Wrong credentials do not count as tries of anybody else.
        let report = try household.passcode(.unlock, Household.passcode)
        #expect(report.outcome == .done && report.failures == 0)
        withExtendedLifetime(daemon) {}
    }

    @Test func whatIsNoPasscodeKeepsNobody() throws {
        try household.passcode(.set, Household.passcode)
        let file = household.home + "/elsewhere"
        try Data(Household.passcode.utf8).write(to: URL(fileURLWithPath: file))
        let makers: [() throws -> Void] = [
            { [path] in try #require(symlink(file, path) == 0) }, { [path] in try #require(mkdir(path, 0o700) == 0) },
            { [path] in try #require(mkfifo(path, 0o600) == 0) }, { try write("") },
            { try write(String(repeating: "a", count: 1025)) },
        ]
        for make in makers {
            try? FileManager.default.removeItem(atPath: path)
            try make()
            let daemon = try start()
            #expect(try outcome == "unusable" && state == .beforeFirstUnlock)
            withExtendedLifetime(daemon) {}
        }
        try FileManager.default.removeItem(atPath: path)
        let daemon = try start()
        #expect(try outcome == nil)
        withExtendedLifetime(daemon) {}
    }

    @Test func itMakesNeitherAKeychainNorAPasscode() throws {
        try write(Household.passcode)
        do {
            let daemon = try start()
            #expect(access(household.store, F_OK) != 0)
            withExtendedLifetime(daemon) {}
        }
        let probe = try household.probe()
        #expect(try probe.add("ada", "s3cret") == 0)
        let daemon = try start()
        #expect(try outcome == "no-passcode")
        #expect(try household.client.device(.state).hasPasscode == false)
        #expect(try probe.find("ada").data == Data("s3cret".utf8))
        withExtendedLifetime(daemon) {}
    }
}
