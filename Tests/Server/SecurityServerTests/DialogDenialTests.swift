import ChatelaineIPC
import ChatelaineModel
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import CallerIdentity
@testable import SecurityServer
@testable import ChatelaineSystem
@testable import SystemCalls

/// A program that asks again after *Deny*, or asks for one item after another, is slowed down and told so.
@Suite struct DialogDenialTests {
    private let home: DialogHome

    // A denial needs no keychain.
    init() throws { home = try DialogHome(passcode: nil) }

    private var dialogs: Int { home.agents.started.load(ordering: .relaxed) }

    private func deny(_ item: ItemIdentifier, from program: String = "/opt/mail") throws {
        let answer = try home.answer(try home.inquiry(item: item, from: program)) { try home.type("d", at: "[oda]?") }
        #expect(home.word(answer) == "denied")
    }

    /// The error of a request that is refused without a dialog.
    private func refusal(_ item: ItemIdentifier, from program: String = "/opt/mail") throws -> KeychainError? {
        let before = dialogs
        let answer = try home.answer(try home.inquiry(item: item, from: program))
        #expect(home.word(answer) == "impossible" && dialogs == before)
        return answer?.refusal
    }

    private var report: DaemonReport {
        var report = DaemonReport()
        Inquiries(home.queue).add(to: &report)
        return report
    }

    /// Three wrong tries count as a refusal.
    ///
    /// Otherwise a program could guess in its own terminal, and everybody would wait for the delay of its wrong tries.
    @Test func wrongOnesAreRefusals() throws {
        let denials = DialogDenials(log: Log(file: home.folder("denials"))) { 1 }
        let question = try home.inquiry(item: ItemIdentifier(), from: "/opt/mail").question
        #expect(denials.refusal(of: question) == nil)
        denials.note(.wrong, to: question)
        #expect(denials.refusal(of: question)?.status == .authFailed)
        denials.note(.allowedOnce, to: question)
        #expect(denials.refusal(of: question) == nil)
    }

    /// A program can answer questions about a keychain of its own, in its own terminal.
    @Test func aYesForgetsNothingOfOthers() throws {
        let denials = DialogDenials(log: Log(file: home.folder("denials"))) { 1 }
        func question() throws -> PersonQuestion {
            try home.inquiry(item: ItemIdentifier(), from: "/opt/mail").question
        }
        let own = try question()
        var last = try question()
        for _ in 0..<DialogDenials.refusalsOfProgram {
            last = try question()
            denials.note(.denied, to: last)
            denials.note(.allowedOnce, to: own)
        }
        denials.note(.denied, to: own)
        #expect(denials.refusal(of: try question())?.status == .authFailed)
        // What was refused by mistake no longer counts.
        denials.note(.allowedOnce, to: last)
        #expect(denials.refusal(of: try question()) == nil)
    }

    /// New processes of a changed program that was refused are not asked about, one after the other.
    @Test func aChangedProgramIsRefusedForAWhile() throws {
        let denials = DialogDenials(log: Log(file: home.folder("denials"))) { 1 }
        let constraints = try ConstraintHome(hasPasscode: false)
        let keychain = try constraints.services.keychains.default.keychain()
        try constraints.services.identities.open(with: keychain.store)
        let opened = try #require(constraints.services.identities.opened)
        let digest = try #require(ExecutableDigest([UInt8](repeating: 1, count: 32)))
        let record = ApplicationRecord(
            path: try #require(CanonicalPath("/opt/mail")), kind: .pinned(digest), since: 0, accepted: nil)
        let change = CallerChange(change: ProgramChange(record: record, digest: digest, modified: 0)) { true }
        let acceptance = ChangeAcceptance(
            change, constraints.services.identities, opened, constraints.services.enclave)
        let question = try home.inquiry(acceptance, .admission(taking: acceptance)).question
        for answer in [PersonAnswer.denied, .wrong] {
            denials.note(answer, to: question)
            #expect(denials.refusal(of: question)?.status == .authFailed)
            denials.note(.allowedOnce, to: question)
            #expect(denials.refusal(of: question) == nil)
        }
    }

    @Test func thePausesGrow() throws {
        let item = ItemIdentifier()
        #expect(report == DaemonReport())
        for seconds in [10, 20, 40] {
            try deny(item)
            for _ in 0..<3 {
                let refusal = try #require(try refusal(item))
                #expect(refusal.status == .authFailed && refusal.reason.contains("can ask again in \(seconds) s"))
            }
            #expect(report["questions.slowed"] == .number(1))
            #expect(report["questions.slowed.1"] == .text("/opt/mail for \(seconds) s"))
            home.clock.advance(by: seconds)
            #expect(report == DaemonReport())
        }
        let log = String(decoding: TemporaryFolder.read(home.folder("log")), as: UTF8.self)
        #expect(log.contains("is not asked about for a while") && log.contains("/opt/mail"))
        // The delay begins anew for another item, for another program, and for this one an hour later.
        try deny(ItemIdentifier())
        try deny(item, from: "/opt/other")
        home.clock.advance(by: DialogDenials.memory)
        try deny(item)
        #expect(try refusal(item)?.reason.contains("in 10 s") == true)
    }

    @Test func theyEnd() {
        #expect((-1...0).map(DialogDenials.pause) == [0, 0])
        #expect((1...9).map(DialogDenials.pause) == [10, 20, 40, 80, 160, 320, 640, 900, 900])
        #expect(DialogDenials.pause(after: .max) == DialogDenials.longestPause)
    }

    @Test func theOldestMakesRoom() throws {
        let denials = DialogDenials(log: Log(file: home.folder("denials"))) { 1 }
        let item = ItemIdentifier()
        for number in 0...DialogDenials.maximumNotes {
            denials.note(.denied, to: try home.inquiry(item: item, from: "/opt/\(number)").question)
        }
        var report = DaemonReport()
        denials.add(to: &report)
        // Each program has one note about the item and one about all items.
        let remembered = DialogDenials.maximumNotes / 2
        #expect(report["questions.slowed"] == .number(Int64(remembered)))
        for number in [DialogDenials.maximumNotes - remembered, DialogDenials.maximumNotes - remembered + 1] {
            let question = try home.inquiry(item: item, from: "/opt/\(number)").question
            #expect((denials.refusal(of: question) == nil) == (number == DialogDenials.maximumNotes - remembered))
        }
        #expect(report["questions.slowed.\(DialogDenials.reportedPrograms)"] != nil)
        #expect(report["questions.slowed.\(DialogDenials.reportedPrograms + 1)"] == nil)
        // Questions about other matters are not remembered.
        let other = try home.inquiry(Presence(), .consent).question
        denials.note(.denied, to: other)
        #expect(denials.refusal(of: other) == nil)
    }

    @Test func aYesForgetsEveryNo() throws {
        try home.create()
        let item = ItemIdentifier()
        try deny(item)
        home.clock.advance(by: 10)
        let answer = try home.answer(try home.inquiry(item: item)) {
            try home.type("o", at: "[oda]?")
            try home.type("right\r", at: "Password of the keychain:")
        }
        #expect(home.word(answer) == "allowedOnce")
        try deny(item)
        #expect(try refusal(item)?.reason.contains("in 10 s") == true)
    }

    /// After a few refusals a program has to wait whatever it asks for. Other programs do not.
    @Test func aProgramThatAsksForEverything() throws {
        for _ in 0...DialogDenials.refusalsOfProgram { try deny(ItemIdentifier()) }
        #expect(try refusal(ItemIdentifier())?.status == .authFailed)
        try deny(ItemIdentifier(), from: "/opt/other")
        home.clock.advance(by: 10)
        try deny(ItemIdentifier())
        #expect(try refusal(ItemIdentifier())?.reason.contains("in 20 s") == true)
    }

    /// One *Deny* also answers the same questions that wait for their turn.
    @Test func aFloodOfOneQuestion() throws {
        let item = ItemIdentifier()
        let inquiries = try (0..<SessionLimits.inquiriesPerProgram).map { _ in try home.inquiry(item: item) }
        for inquiry in inquiries { #expect(home.queue.ask(inquiry)) }
        try home.type("d", at: "[oda]?")
        let pipe = try TestPipe(isEnded: false)
        let answers = inquiries.map { home.word($0.wait(orEndOf: pipe.reading)) }
        #expect(answers == ["denied"] + answers.dropFirst().map { _ in "impossible" })
        #expect(dialogs == 1)
    }

    /// A program that withdraws and repeats its questions shows a dialog each time, but only for a while.
    @Test func whoTakesQuestionsBack() throws {
        for _ in 0...DialogDenials.refusalsOfProgram {
            let inquiry = try home.inquiry(item: ItemIdentifier())
            #expect(home.queue.ask(inquiry))
            try home.terminal.expect("[oda]?")
            #expect(inquiry.wait(orEndOf: try TestPipe().reading) == nil)
            try home.awaitNoAgent()
        }
        // The thread of the dialog notes the withdrawal after the dialog is gone.
        try until { report != DaemonReport() }
        #expect(try refusal(ItemIdentifier())?.status == .authFailed)
    }
}
