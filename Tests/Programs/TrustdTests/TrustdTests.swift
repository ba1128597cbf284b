import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import CodeSignatures
import Foundation
import TestSupport
import Testing
import TrustProtocol

/// Tests of the process that checks signatures: one question, one answer, and no other abilities.
struct TrustdTests {
    private static let now: Int64 = 1_800_000_000

    private static func question() throws -> SignatureQuestion {
        let team = try #require(TeamIdentifier("TEAM123456"))
        let digest = try #require(ExecutableDigest([UInt8](repeating: 7, count: 32)))
        let identity = try DevelopmentIdentity(team: team, commonName: "Ada", now: now)
        let signature = try CodeSigner(try SigningIdentity(files: [identity.signer])).sign(
            CodeSigner.Request(digest: digest, identifier: "TEAM123456.one", now: now))
        let anchor = try SignatureVerifier().examine(AnchorQuestion(file: identity.anchor, team: team, now: now))
        return SignatureQuestion(signature: signature, digest: digest, anchor: anchor.anchor, now: now)
    }

    @Test func itAnswersAndEnds() throws {
        let question = try Self.question()
        let run = try TrustdRun()
        guard case .verdict(.claims(let claims)) = try run.ask(.signature(question)) else {
            Issue.record("no claims")
            return
        }
        #expect(claims.identifier == "TEAM123456.one" && claims.owner == question.anchor?.owner)
        #expect(run.ends())
        var other = question
        other.digest = try #require(ExecutableDigest([UInt8](repeating: 8, count: 32)))
        guard case .verdict(.defect(.wrongDigest, _)) = try TrustdRun().ask(.signature(other)) else {
            Issue.record("another file")
            return
        }
    }

    @Test func itExaminesAnchors() throws {
        let anchor = try #require(try Self.question().anchor)
        let file = AnchorQuestion(file: anchor.certificate, team: nil, now: Self.now)
        guard case .report(let report) = try TrustdRun().ask(.anchor(file)) else {
            Issue.record("no report")
            return
        }
        #expect(report.anchor == anchor)
        let none = AnchorQuestion(file: [0x30], team: nil, now: Self.now)
        guard case .unsuitable = try TrustdRun().ask(.anchor(none)) else {
            Issue.record("an anchor")
            return
        }
    }

    @Test func nonsenseHasNoAnswer() throws {
        for bytes: [UInt8] in [
            [0xFF, 0xFF, 0xFF, 0xFF], [4, 0, 0, 0, 1, 2, 3, 4], [1, 0, 0, 0, 0xA0], [0, 0, 0, 0],
        ] {
            let run = try TrustdRun()
            run.sendRaw(bytes)
            #expect(throws: FrameError.self) { try run.reply() }
            #expect(run.ends())
        }
    }

    @Test func halfAQuestionHasNoAnswer() throws {
        let run = try TrustdRun()
        run.sendRaw([200, 0, 0, 0, 0xA3, 0])
        shutdown(run.channel.socket, Int32(SHUT_WR))
        #expect(throws: FrameError.self) { try run.reply() }
        #expect(run.ends())
    }

    /// securityd keeps a worker without a question; the worker ends with securityd's connection.
    @Test func oneWithoutAQuestionEndsWithWhoMayAsk() throws {
        let silent = try TrustdRun()
        try silent.waitUntilShutIn()
        shutdown(silent.channel.socket, Int32(SHUT_WR))
        #expect(silent.ends())
    }

    @Test func certificatesAreRead() throws {
        let der = try #require(try Self.question().anchor).certificate
        let nonsense: [UInt8] = [0x30, 0]
        guard case .readings(let readings) = try TrustdRun().ask(.certificates([der, nonsense, der])),
            readings.count == 3, case .report(let report) = readings[0], case .flaw = readings[1]
        else {
            Issue.record("other readings")
            return
        }
        #expect(readings[2] == readings[0] && report.subject.text(of: NameAttribute.organizationalUnit) != nil)
        let name = report.subject.encoded
        #expect(try TrustdRun().ask(.names([name])) == .names([report.subject.normalized]))
        guard case .unsuitable = try TrustdRun().ask(.names([[1]])) else {
            Issue.record("a name")
            return
        }
    }

    @Test func aSecondQuestionHasNoAnswer() throws {
        let request = TrustRequest.signature(try Self.question())
        var writer = CBORWriter()
        request.encode(to: &writer)
        let content = writer.finishArray()
        let frame = withUnsafeBytes(of: UInt32(content.count).littleEndian) { Array($0) } + content
        let run = try TrustdRun()
        run.sendRaw(frame + frame)
        guard case .verdict(.claims) = try run.reply() else {
            Issue.record("no claims")
            return
        }
        #expect(throws: FrameError.self) { try run.reply() }
        #expect(run.ends())
    }

    /// After a chain a worker evaluates the next one, and does nothing else.
    @Test func chainsFollowEachOther() throws {
        let anchor = try #require(try Self.question().anchor).certificate
        var question = TrustQuestion([anchor], policies: [TrustPolicy(.basic)])
        (question.anchors, question.hasOwnAnchorsOnly) = ([anchor], true)
        let request = TrustRequest.evaluation(TrustCase(question, now: Self.now))
        let run = try TrustdRun()
        for _ in 0..<3 {
            guard case .evaluation(let judgement) = try run.ask(request) else {
                Issue.record("no judgement")
                return
            }
            #expect(judgement.verdict.isTrusted)
        }
        guard case .readings = try run.ask(.certificates([anchor])) else {
            Issue.record("no readings")
            return
        }
        #expect(run.ends())
    }

    /// A worker sends its answer and ends, whether or not the other side still reads.
    @Test func nobodyNeedsToListen() throws {
        let question = try Self.question()
        let run = try TrustdRun()
        try run.channel.send { TrustRequest.signature(question).encode(to: &$0) }
        #expect(run.ends())
        guard case .verdict(.claims) = try run.reply() else {
            Issue.record("no claims")
            return
        }
    }

    /// The end of one worker affects no other, and trustd leaves alone a process that is not its worker.
    @Test func eachHasAWorkerOfItsOwn() throws {
        let question = try Self.question()
        let run = try TrustdRun()
        let other = try #require(run.startAnother())
        let channel = FrameChannel(descriptor: other.channel)
        channel.setDeadline(seconds: 30)
        #expect(other.pid != run.pid)
        #expect(run.orders.end(UInt32(getpid())) && run.orders.end(1))
        #expect(run.orders.end(run.pid))
        try channel.send { TrustRequest.signature(question).encode(to: &$0) }
        let reply = try channel.withFrame(limit: TrustWire.maximumReplyBytes) { frame, _ in
            try TrustReply(frame: frame)
        }
        guard case .verdict(.claims) = reply else {
            Issue.record("no claims: \(reply)")
            return
        }
    }

    /// The number of workers has a limit, and ended workers do not count.
    @Test func thereAreNoMoreThanItForks() throws {
        let run = try TrustdRun()
        var others: [(pid: UInt32, channel: Int32)] = []
        while let worker = run.startAnother() { others.append(worker) }
        defer { for worker in others { close(worker.channel) } }
        #expect(others.count == 2 * TrustWire.maximumWorkers - 1)
        #expect(run.orders.end(run.pid))
        try others.append(#require(run.startAnother()))
        #expect(run.startAnother() == nil)
    }

    /// No worker outlives securityd or trustd.
    @Test func workersEndWithTrustd() throws {
        let run = try TrustdRun()
        try run.waitUntilShutIn()
        run.process.kill()
        _ = run.process.wait()
        #expect(throws: FrameError.self) { try run.ask(.signature(try Self.question())) }
        #expect(run.ends())
    }

    @Test func oneThatIsKilledHasNoAnswer() throws {
        let run = try TrustdRun()
        try run.waitUntilShutIn()
        #expect(run.orders.end(run.pid))
        #expect(throws: FrameError.self) { try run.ask(.signature(try Self.question())) }
        #expect(run.status.fact("State") == nil)
    }

    @Test func itIsShutInBeforeItReads() throws {
        let run = try TrustdRun()
        try run.waitUntilShutIn()
        #expect(run.status.fact("NoNewPrivs") == "1" && run.status.fact("CapEff") == "0000000000000000")
        #expect(run.status.fact("Threads") == "1")
        // A fork copies one thread and leaves the locks of all others as they are, so trustd may have only one thread.
        let parent = String(decoding: TemporaryFolder.read("/proc/\(run.process.pid)/status"), as: UTF8.self)
        #expect(parent.split(separator: "\n").contains("Threads:\t1"), "\(parent)")
        let limits = String(decoding: TemporaryFolder.read("/proc/\(run.pid)/limits"), as: UTF8.self)
        for limit in ["Max cpu time", "Max core file size", "Max data size"] {
            let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix(limit) })
            #expect(!line.contains("unlimited"), "\(line)")
        }
        guard case .verdict(.claims) = try run.ask(.signature(try Self.question())) else {
            Issue.record("no claims")
            return
        }
    }

    @Test func nobodyElseStartsIt() throws {
        let program = BuildFolder.program("trustd")
        #expect(try CommandRun([program]).exitStatus == 2)
        #expect(try CommandRun([program, "--nonsense"]).exitStatus == 2)
        #expect(
            try CommandRun([program, "--version"]).output.hasPrefix(
                "trustd (Chatelaine), protocol \(TrustWire.version)"))
        #expect(try CommandRun([program, "--help"]).output.hasPrefix("Usage: trustd"))
    }
}
