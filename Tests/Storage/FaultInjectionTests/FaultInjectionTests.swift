import Foundation
import Testing

/// Every system call on files that both daemons make fails, and the power goes at every moment: each call has a clear error
/// or succeeds, nothing that was acknowledged is lost, nothing is half done, and a fresh start finds all of it.
///
/// `FAULTS=` says how much. `some` is what runs without it: every sixth call fails, in one way, and at each power cut what was not synced is
/// lost, kept or torn; `TURN=`, a number, says which sixth and which of these. `each` has every call fail, in one way that changes from call
/// to call, and at each power cut does all three. `all` has every call fail in every way, and tears in eight ways. `SEED=` repeats a tearing.
@Suite struct FaultInjectionTests {
    static let scenarios = [
        "beginning", "changes", "snapshots", "recovery", "salvage", "missing", "restoration", "migration", "lost-log",
        "resealing", "decisions", "trust", "adoption", "keys", "file-keychain", "keychain-keys", "keychain-elsewhere",
        "machine-keychain", "keychain-restoration", "keychain-elsewhere-restoration",
    ]

    private static let environment = ProcessInfo.processInfo.environment
    private static let faults = environment["FAULTS"] ?? "some"
    /// Chances that what was not synced gets at each place.
    private static let arrangements = ["all": "8", "each": "1"][faults] ?? "0"
    private static let turn = environment["TURN"] ?? "0"
    private static let seed = environment["SEED"] ?? turn

    @Test(arguments: scenarios) func everyCallFails(_ scenario: String) throws {
        if Self.faults == "some" {
            try FaultInjection.run("faults", scenario, Self.faults, Self.turn)
        } else {
            try FaultInjection.run("faults", scenario, Self.faults)
        }
    }

    @Test(arguments: scenarios) func thePowerGoes(_ scenario: String) throws {
        try FaultInjection.run("cuts", scenario, Self.seed, Self.arrangements)
    }

    /// What the seam does not see, it cannot make fail.
    @Test(arguments: scenarios) func noCallPassesTheSeamBy(_ scenario: String) throws {
        try FaultInjection.run("audit", scenario)
    }

    /// Linked into the bundle of all tests, it would keep every test from waiting.
    @Test func theSeamIsInNoOtherProgram() throws {
        let library = try #require(dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD))
        defer { dlclose(library) }
        for name in ["usleep", "close", "fsync"] { #expect(dlsym(nil, name) == dlsym(library, name)) }
    }

    @Test func allScenariosAreRun() throws { #expect(try FaultInjection.output("list").lines == Self.scenarios) }
}
