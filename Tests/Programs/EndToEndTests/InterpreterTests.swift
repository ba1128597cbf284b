import Foundation
import TestSupport
import Testing

/// Tests of real daemons on a machine whose administrator has named interpreters
/// (Documentation/formats/interpreters.md).
@Suite struct InterpreterTests {
    @Test func theAdministratorNamesOne() throws {
        guard Privilege.isThere() else { return }
        let home = try BusHousehold(user: Privilege.user(85), startsDaemon: false)
        func run(_ script: String) throws { try #require(try home.program(["sh", "-c", script]).finish() == 0) }
        func assurance(_ probe: ProbeProcess) throws -> String? {
            try probe.decide("status").dictionary?["caller.assurance"] as? String
        }
        func told() throws -> String? {
            let doctor = try home.program(["\(home.household.home)/security", "doctor"], as: home.household.uid)
            return try doctor.rest().first { $0.contains("programs.interpreters") }
        }
        try run("mkdir /run/etc && cp -a /etc/. /run/etc && mount --bind /run/etc /etc && mkdir -p /etc/chatelaine")
        let before = try home.probe()
        let own = try #require(try assurance(before))
        #expect(own != "shared")
        #expect(try told() == nil)
        try run("echo keeper >/etc/chatelaine/interpreters")
        #expect(try assurance(home.probe()) == "shared")
        // The identity of an existing connection does not change.
        #expect(try assurance(before) == own)
        #expect(try told()?.contains("adds 1 name to") == true)
        try run("chmod o+w /etc/chatelaine/interpreters")
        #expect(try assurance(home.probe()) == own)
        #expect(try told()?.contains("is not used") == true)
    }
}
