import ChatelaineIPC
import ChatelaineModel
import TestSupport
import Testing

@testable import CallerIdentity
@testable import SecurityServer
@testable import ChatelaineSystem
@testable import SystemCalls

/// The report lists refused programs, and the log mentions them.
@Suite struct RefusalsTests {
    private let folder: TemporaryFolder
    private let refusals: Refusals
    private let slot = ConnectionSlot(socket: -1, pid: 7, uid: 1000, requests: RequestLimiter())

    init() throws {
        folder = try TemporaryFolder()
        refusals = Refusals(log: Log(file: folder("log")))
    }

    private var report: DaemonReport {
        var report = DaemonReport()
        refusals.add(to: &report)
        return report
    }

    private var lines: [String] {
        String(decoding: TemporaryFolder.read(folder("log")), as: UTF8.self).split(separator: "\n").map { String($0) }
    }

    private func refuse(_ path: String, user: UInt32 = 1000) throws {
        let caller = Caller.sample(path, user: user, state: .changed, inKeychainOf: user)
        refusals.note(try #require(caller.refusal), of: ReadStatus.name, from: slot, caller: caller)
    }

    @Test func nothingIsSaidOfNone() { #expect(report == DaemonReport()) }

    @Test func aChangedProgramIsNamedOnce() throws {
        for _ in 0..<5 { try refuse("/opt/app") }
        #expect(report["refused.calls"] == .number(5))
        #expect(report["refused.changed.1"] == .text("/opt/app"))
        #expect(report["refused.changed.2"] == nil)
        #expect(lines.count == 1, "the others are counted, and the next line says how many")
        #expect(lines.first?.contains("/opt/app") == true)
    }

    @Test func itIsForgottenOnceSomebodyDecided() throws {
        try refuse("/opt/app/one")
        try refuse("/opt/app/two")
        try refuse("/opt/other")
        let folder = try #require(CanonicalPath("/opt/app"))
        refusals.settle(folder, of: 1001)
        #expect(report["refused.changed.3"] != nil, "another user's decision changes nothing")
        refusals.settle(folder, of: 1000)
        #expect(report["refused.changed.1"] == .text("/opt/other"))
        #expect(report["refused.changed.2"] == nil)
    }

    @Test func aReportNamesFewAndCountsTheRest() throws {
        for number in 0..<(Refusals.rememberedPrograms + 10) { try refuse("/opt/app\(number)") }
        #expect(report["refused.calls"] == .number(Int64(Refusals.rememberedPrograms + 10)))
        #expect(report["refused.changed.\(Refusals.reportedPrograms)"] != nil)
        #expect(report["refused.changed.\(Refusals.reportedPrograms + 1)"] == nil)
        #expect(report["refused.others"] == .number(Int64(Refusals.rememberedPrograms - Refusals.reportedPrograms)))
        #expect(lines.count <= LogThrottle.linesPerWindow)
    }

    @Test func aMistakeOfAProgramIsNoRefusal() {
        refusals.note(KeychainError(.param, "wrong"), of: ReadStatus.name, from: slot, caller: .sample())
        refusals.note(KeychainError(.itemNotFound, "none"), of: ReadStatus.name, from: slot, caller: .sample())
        #expect(report == DaemonReport())
        #expect(lines.isEmpty)
    }

    @Test func whoCannotBeIdentifiedIsCounted() {
        refusals.noteEnd(of: slot, because: Unidentified(.deleted, "its file is gone"))
        refusals.noteEnd(of: slot, because: SessionError.wrongNonce)
        #expect(report["refused.calls"] == .number(1))
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains("pid=7") && $0.contains("uid=1000") })
    }
}
