import Foundation
import TestSupport
import Testing

/// The program that needs the daemon first starts it, and its own limits are not the daemon's
/// (behaviour/deployment.md).
@Suite struct InheritedLimitsTests {
    private func start(_ limits: String, in household: Household) throws -> Program {
        try Program(
            ["bash", "-c", "ulimit \(limits) && exec \"$0\" status 2>&1", BuildFolder.program("security")],
            environment: household.variables)
    }

    @Test func softLimitsAreRaised() throws {
        let household = try Household()
        #expect(try start("-S -f 100 -t 3000 -u 5000", in: household).finish() == 0)
        let daemon = try #require(household.daemonPID)
        let limits = String(decoding: TemporaryFolder.read("/proc/\(daemon)/limits"), as: UTF8.self)
        for name in ["Max file size", "Max cpu time", "Max processes"] {
            let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix(name) })
            let words = line.dropFirst(name.count).split(separator: " ")
            #expect(words[0] == words[1], "\(line)")
        }
    }

    /// Such a daemon would serve nobody, and keep others from starting one.
    @Test func aDaemonWithFewDescriptorsIsNotStarted() throws {
        let household = try Household()
        let said = try start("-n 64", in: household).rest()
        #expect(household.daemons == [], "\(said)")
        #expect(try household.probe().add("a", "b") == 0)
        #expect(household.daemons.count == 1)
    }
}
