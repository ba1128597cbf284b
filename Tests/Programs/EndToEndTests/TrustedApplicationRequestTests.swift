import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of how the daemon lists programs in access objects (behaviour/access-objects.md).
@Suite struct TrustedApplicationRequestTests {
    private let household: Household

    init() throws { household = try Household() }

    private func status(_ path: String?) -> Int32 {
        do { _ = try household.client.trustedApplication(at: path) } catch { return error.status.rawValue }
        return 0
    }

    @Test func aProgramIsListedByItsPathAsItListsItself() throws {
        let (one, other) = (try household.application("one"), try household.application("other"))
        let listed = try household.client.trustedApplication(at: one)
        #expect(listed.path.text == one && listed.assurance == .file)
        // The program is listed alone, and in the trusted list of an access object that is made without one.
        let answer = try household.probe("one").ask(["call": "trusted"])
        #expect(answer.result as? String == Data(listed.external).base64EncodedString())
        // The same content is the same program, wherever its file lies.
        #expect(try household.client.trustedApplication(at: other).identity == listed.identity)
        #expect(
            try household.client.trustedApplication(at: "/usr/bin/true").identity == .identifier("path:/usr/bin/true"))
    }

    @Test func whatIsNoProgramHasTheSystemsNumber() throws {
        let folder = household.home
        #expect(status("\(folder)/missing") == 100_000 + ENOENT)
        #expect(status("\(folder)/missing/program") == 100_000 + ENOENT)
        try Data("text".utf8).write(to: URL(fileURLWithPath: "\(folder)/text"))
        try #require(chmod("\(folder)/text", 0o600) == 0)
        #expect(status("\(folder)/text") == 100_000 + ENOEXEC)
        #expect(status("\(folder)/text/x") == 100_000 + ENOTDIR)
        #expect(status("relative") == -50 && status("") == -50)
        try household.application("signed")
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: "\(folder)/signed.codesig"))
        #expect(status("\(folder)/signed") == -50)
    }

    @Test func oneInDevelopmentListsItself() throws {
        try household.application("app")
        _ = try household.client.applications(.develop(path: "\(household.home)/app"))
        let answer = try household.probe("app").ask(["call": "trusted"])
        let listed = try household.client.trustedApplication(at: "\(household.home)/app")
        #expect(answer.result as? String == Data(listed.external).base64EncodedString())
    }
}
