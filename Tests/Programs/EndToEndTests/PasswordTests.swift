import Foundation
import Testing

/// Tests of passwords, the main use, from a program's call to the disk and back.
@Suite struct PasswordTests {
    static var base: [String: Any] { ["class": "genp", "svce": "mail", "acct": "ada"] }

    static func data(_ text: String) -> [String: String] { ["data": Data(text.utf8).base64EncodedString()] }

    @Test func aPasswordIsStoredFoundChangedAndDeleted() throws {
        let household = try Household()
        defer { household.dismiss() }
        let probe = try ProbeProcess(try household.application("keeper"), in: household)
        defer { probe.finish() }

        #expect(try probe.call("find", Self.base.merging(["r_Data": true]) { $1 }).status == -25300)
        #expect(
            try probe.call("add", Self.base.merging(["v_Data": Self.data("s3cret"), "pdmn": "ak"]) { $1 }).status == 0)
        #expect(try probe.call("add", Self.base.merging(["v_Data": Self.data("other")]) { $1 }).status == -25299)
        let query = Self.base.merging(["r_Data": true, "m_Limit": "m_LimitOne"]) { $1 }
        #expect(try probe.call("find", query).data == Data("s3cret".utf8))
        #expect(try probe.call("update", Self.base, change: ["v_Data": Self.data("n3wer")]).status == 0)
        #expect(try probe.call("find", query).data == Data("n3wer".utf8))
        #expect(try probe.call("delete", Self.base).status == 0)
        #expect(try probe.call("find", query).status == -25300)
        #expect(try probe.call("delete", Self.base).status == -25300)
    }

    @Test func anotherProgramDoesNotSeeTheItem() throws {
        let household = try Household()
        defer { household.dismiss() }
        let keeper = try ProbeProcess(try household.application("keeper"), in: household)
        let other = try ProbeProcess(try household.application("other"), in: household)
        defer {
            keeper.finish()
            other.finish()
        }
        #expect(try keeper.call("add", Self.base.merging(["v_Data": Self.data("s3cret")]) { $1 }).status == 0)
        #expect(try other.call("find", Self.base.merging(["r_Data": true]) { $1 }).status == -25300)
        #expect(try other.call("delete", Self.base).status == -25300)
        let group = "pinned:\(household.home)/keeper"
        #expect(try other.call("find", Self.base.merging(["agrp": group]) { $1 }).status == -34018)
        #expect(try keeper.call("find", Self.base.merging(["agrp": group]) { $1 }).status == 0)
        for refused in try [
            other.call("add", Self.base.merging(["agrp": group, "acct": "planted"]) { $1 }),
            other.call("update", Self.base.merging(["agrp": group]) { $1 }, change: ["labl": "x"]),
            other.call("update", Self.base, change: ["agrp": group]),
            other.call("delete", Self.base.merging(["agrp": group]) { $1 }),
        ] { #expect(refused.status == -34018) }
        // The same item of another program is another item.
        #expect(try other.call("add", Self.base.merging(["v_Data": Self.data("mine")]) { $1 }).status == 0)
        #expect(try keeper.call("find", Self.base.merging(["r_Data": true]) { $1 }).data == Data("s3cret".utf8))
    }
}
