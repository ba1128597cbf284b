import Foundation
import Testing

/// Every system call on files that both daemons make fails, and the power goes at every moment: each call has a clear error
/// or succeeds, nothing that was acknowledged is lost, nothing is half done, and a fresh start finds all of it.
///
/// `FAULTS=all` has each call fail in every way, instead of in one that changes from call to call, and tries every
/// arrangement of what was not synced; that takes a quarter of an hour. `SEED=` repeats a run.
@Suite struct OrdealTests {
    static let scripts = [
        "beginning", "changes", "snapshots", "recovery", "missing", "restoration", "migration", "lost-log",
    ]

    private static let environment = ProcessInfo.processInfo.environment
    private static let isExhaustive = environment["FAULTS"] == "all"
    /// Chances that what was not synced gets at each place.
    private static let arrangements = isExhaustive ? "8" : "1"
    private static let seed = environment["SEED"] ?? "1"

    @Test(arguments: scripts) func everyCallFails(_ script: String) throws {
        try Ordeal.run("faults", script, Self.isExhaustive ? "all" : "rotating")
    }

    @Test(arguments: scripts) func thePowerGoes(_ script: String) throws {
        try Ordeal.run("cuts", script, Self.seed, Self.arrangements)
    }

    /// What the seam does not see, it cannot make fail.
    @Test(arguments: scripts) func noCallPassesTheSeamBy(_ script: String) throws { try Ordeal.run("audit", script) }

    @Test func allScriptsAreRun() throws { #expect(try Ordeal.output("list").lines == Self.scripts) }
}
