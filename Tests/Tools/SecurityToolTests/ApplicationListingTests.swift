import ChatelaineIPC
import Foundation
import Testing

@testable import SecurityTool

/// Tests of `security app list` after another file was accepted for a program.
struct ApplicationListingTests {
    @Test func whatTookWhichOnesPlace() throws {
        let keychain = FakeKeychain()
        var change = ApplicationDecision(
            path: "/opt/a tool", state: .accepted, digest: Array(repeating: 0xAB, count: 32), date: 1)
        change.former = Array(repeating: 0xCD, count: 32)
        keychain.changes.withLock { $0 = [change] }
        #expect(
            ToolRun(["app", "list"], keychain: keychain).text == """
                STATE        SHA-256           IN PLACE OF       DECIDED               PATH
                changed      abababababababab  -                 2001-01-01T00:00:00Z  /opt/a tool
                development  -                 -                 2023-03-08T20:26:40Z  /home/anna/build
                accepted     abababababababab  cdcdcdcdcdcdcdcd  2001-01-01T00:00:01Z  /opt/a tool

                """)
        let run = ToolRun(["app", "list", "--json"], keychain: keychain)
        let records = try #require(try JSONSerialization.jsonObject(with: Data(run.output)) as? [[String: Any]])
        #expect(records.map { $0["formerSha256"] as? String } == [nil, nil, String(repeating: "cd", count: 32)])
        #expect(records.last?["state"] as? String == "accepted")
    }
}
