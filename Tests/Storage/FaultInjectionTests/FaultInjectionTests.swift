import Foundation
import Testing

/// Each system call on files that the two daemons make fails in turn, and the power fails at each moment.
///
/// Each call ends with a clear error or succeeds. Nothing acknowledged is lost, nothing is half done, and a fresh start
/// finds everything.
///
/// `FAULTS=` sets the extent. Without it, `some` runs: one call in 24 fails, in one way. The power goes after every
/// fourth change, and unsynced data is lost, kept or torn. The number in `TURN=` selects which calls, which changes,
/// and which of the three. With `each`, every
/// call fails, in one way that changes from call to call, and each power cut does all three. With `all`, every call
/// fails in every way, and unsynced data is torn in eight ways. `SEED=` repeats a tearing.
@Suite struct FaultInjectionTests {
    static let scenarios = [
        "beginning", "changes", "snapshots", "recovery", "salvage", "missing", "restoration", "migration", "lost-log",
        "resealing", "decisions", "trust", "adoption", "keys", "file-keychain", "keychain-keys", "keychain-elsewhere",
        "machine-keychain", "keychain-restoration", "keychain-elsewhere-restoration",
        "keychain-left-open-restoration", "machine-keychain-restoration",
    ]

    private static let environment = ProcessInfo.processInfo.environment
    private static let faults = environment["FAULTS"] ?? "some"
    /// The number of random arrangements of unsynced data at each place.
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

    /// The seam can only make those calls fail that pass through it.
    @Test(arguments: scenarios) func noCallPassesTheSeamBy(_ scenario: String) throws {
        try FaultInjection.run("audit", scenario)
    }

    /// Linked into the bundle of all tests, the seam would replace `usleep` too, and no test would wait.
    @Test func theSeamIsInNoOtherProgram() throws {
        let library = try #require(dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD))
        defer { dlclose(library) }
        for name in ["usleep", "close", "fsync"] { #expect(dlsym(nil, name) == dlsym(library, name)) }
    }

    @Test func allScenariosAreRun() throws { #expect(try FaultInjection.output("list").lines == Self.scenarios) }
}
