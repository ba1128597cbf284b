import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Foundation
import Glibc
import Sealing
import TestSupport
import Testing

@testable import Enclave

/// Tests of which keys and passcodes remain in the memory of both daemons.
@Suite struct PasscodeMemoryTests {
    private static let passcode = "nobody would guess this passcode"

    /// The custodian's keys, unlocked in a copy of its files by another custodian: those that a lock removes, and those
    /// that stay.
    private func keys(
        of household: Household, _ passcode: String = PasscodeMemoryTests.passcode
    ) throws -> (locked: [[UInt8]], always: [[UInt8]]) {
        let copy = household.home + "/copy"
        try? FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: household.home + "/state/enclave", toPath: copy)
        let name = try #require(
            TemporaryFolder.names(in: copy + "/keybags").first { $0.hasSuffix(".keybag") })
        let store = StoreIdentifier(
            try #require(UUID(uuidString: String(name.dropLast(7)))).bytes)
        let twin = Enclave(stateFolder: copy)
        let (keybag, _) = try twin.open(store, isEmpty: false)
        let report = try twin.answer(UnlockStore(.agent, in: store), passcodes: [SecretBytes(passcode.utf8)]).get()
        guard report.outcome == .done else { throw SystemError("the passcode is another") }
        var (locked, always): ([[UInt8]], [[UInt8]]) = ([], [])
        for key in keybag.withState({ Array($0.keys.values) }) {
            let bytes = key.secret.withUnsafeBytes { Array($0) }
            switch key.accessibility {
            case .always, .alwaysThisDeviceOnly: always.append(bytes)
            case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: break
            default: locked.append(bytes)
            }
        }
        return (locked, always)
    }

    @Test func nothingIsLeftAfterALock() throws {
        guard Privilege.isThere() else { return }
        let household = try Household()
        try household.passcode(.set, Self.passcode)
        let probes = try (0..<3).map { try household.probe("keeper \($0)") }
        for round in 0..<2 {
            for probe in probes {
                for name in ["ak", "ck", "dk", "aku", "akpu"] {
                    let item = ProbeProcess.password("\(name) \(round)").merging([
                        "pdmn": name, "v_Data": PasswordTests.data("the secret of \(name)"),
                    ]) { $1 }
                    #expect(try probe.call("add", item).status == 0)
                    #expect(try probe.find("\(name) \(round)").status == 0)
                }
                #expect(try probe.all().count == 5 * (round + 1))
            }
            let (locked, always) = try keys(of: household)
            let (daemon, custodian) = (try #require(household.daemonPID), try #require(household.custodianPID))
            func found(_ keys: [[UInt8]], in pid: pid_t) -> [String] {
                let memory = ProcessMemory(of: pid)
                return keys.flatMap { memory.regions(holding: [$0]) }.map { "\($0.name) \($0.range)" }
            }
            let passcode = [Array(Self.passcode.utf8)]
            // The search does find keys that are there: metadata keys in the daemon, and all keys in the custodian.
            #expect(!found(locked, in: daemon).isEmpty && found(locked, in: custodian).count >= locked.count)
            #expect(found(passcode, in: daemon) == [] && found(passcode, in: custodian) == [])
            let client = household.client
            #expect(try client.device(.lock).state == .locked)
            // The thread has finished the lock once it answers another request.
            _ = try client.device(.state)
            #expect(found(locked, in: daemon) == [], "round \(round)")
            #expect(found(locked, in: custodian) == [], "round \(round)")
            #expect(found(passcode, in: daemon) == [] && found(passcode, in: custodian) == [])
            #expect(!found(always, in: custodian).isEmpty)
            try household.passcode(.unlock, Self.passcode)
            for probe in probes { #expect(try probe.all().count == 5 * (round + 1)) }
        }
    }

    /// Before the machine sleeps, and after a session locks, neither daemon has a key that a lock removes.
    @Test(arguments: ["sleep", "lock"])
    func nothingIsLeftAfterWhatTheSystemSays(_ signal: String) throws {
        guard Privilege.isThere() else { return }
        let home = try BusHousehold(user: geteuid())
        let household = home.household
        try #require(try home.security("passcode", "set", "--stdin", reads: Household.passcode) == 0)
        let bus = try home.startBus()
        let logind = try home.startLogind()
        let probe = try home.probe()
        #expect(try probe.add("ada", "s3cret") == 0)
        #expect(try probe.find("ada").status == 0)
        try home.waitUntilHeard()
        let (locked, _) = try keys(of: household, Household.passcode)
        let daemons = [try #require(household.daemonPID), try #require(household.custodianPID)]
        for pid in daemons { #expect(!ProcessMemory(of: pid).regions(holding: locked).isEmpty) }
        try logind.tell(signal)
        // The test makes no request in between, since a request would wait for the lock.
        if signal == "sleep" {
            try until("the machine may sleep") { try logind.inhibitors == 0 }
        } else {
            usleep(2_000_000)
        }
        for pid in daemons + household.helperPIDs {
            #expect(ProcessMemory(of: pid).regions(holding: locked).isEmpty, "\(ProcessTable.name(of: pid) ?? "")")
        }
        #expect(try probe.find("ada").status == -25308)
        withExtendedLifetime(bus) {}
    }
}

extension UUID {
    fileprivate var bytes: Bytes16 { withUnsafeBytes(of: uuid) { Bytes16($0) } ?? Bytes16(repeating: 0) }
}
