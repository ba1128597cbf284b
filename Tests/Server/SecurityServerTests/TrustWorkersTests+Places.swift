import ChatelaineModel
import Glibc
import SystemCalls
import TestSupport
import Testing
import TrustProtocol

@testable import SecurityServer

/// How many questions have a process at one time, and whose.
extension TrustWorkersTests {
    @Test func fourAreAtWorkAtTheMost() throws {
        let starter = Self.answering(.verdict(.claims(claims)), after: 50)
        let workers = Self.patient(starter)
        let question = question
        // Each question waits on a thread of its own.
        let done = Counter()
        for _ in 0..<10 {
            _ = Worker.start {
                if case .claims? = try? workers.verify(question) { _ = done.next() }
            }
        }
        try done.wait(for: 10)
        try awaitEnds(10, of: starter)
        // The number includes the worker that waits for the next question.
        #expect(starter.mostAtOnce <= ProcessStarter.mostVerifiers)
    }

    /// Each question has its own process. The next one is started when the last was answered.
    @Test func oneIsReadyForTheNextQuestion() throws {
        let starter = Self.answering(.verdict(.claims(claims)))
        let workers = Self.patient(starter)
        for count in 1...3 {
            #expect(try workers.verify(question) == .claims(claims))
            try awaitEnds(count, of: starter)
            try awaitStarts(count + 1, of: starter)
        }
    }

    @Test func oneThatEndedMeanwhileIsReplaced() throws {
        let isFirst = Counter()
        let reply = TrustReply.verdict(.claims(claims))
        let starter = FakeWorkers { channel in
            // The second worker ends without a question.
            guard isFirst.next() != 2 else { return }
            _ = try? channel.withFrame(limit: TrustWire.maximumRequestBytes) { frame, _ in
                try TrustRequest(frame: frame)
            }
            try? channel.send { reply.encode(to: &$0) }
        }
        let workers = Self.patient(starter)
        #expect(try workers.verify(question) == .claims(claims))
        try awaitStarts(2, of: starter)
        usleep(50_000)
        #expect(try workers.verify(question) == .claims(claims))
        try awaitEnds(3, of: starter)
    }

    /// Any program can ask about certificates, which must not hold up signatures.
    @Test func certificatesLeaveRoomForSignatures() throws {
        let isOver = Flag()
        let reply = TrustReply.verdict(.claims(claims))
        let starter = FakeWorkers { channel in
            let request = try? channel.withFrame(limit: TrustWire.maximumRequestBytes) { frame, _ in
                try TrustRequest(frame: frame)
            }
            if case .certificates? = request { isOver.awaitRaise() }
            try? channel.send { reply.encode(to: &$0) }
        }
        let workers = TrustWorkers(starter, seconds: 600, patience: 10)
        let done = Counter()
        for program in 1...TrustWorkers.mostReaders {
            _ = Worker.start {
                Originator.$slot.withValue(.test(UInt64(program))) { _ = try? workers.read([[1]]) }
                _ = done.next()
            }
        }
        try starter.started.wait(for: TrustWorkers.mostReaders)
        #expect(throws: KeychainError(.notAvailable, "")) { try workers.read([[1]]) }
        #expect(try workers.verify(question) == .claims(claims))
        isOver.raise()
        try done.wait(for: TrustWorkers.mostReaders)
    }

    /// A worker that has judged has no place any more, and ends before the one that reads an anchor waits for its own.
    @Test func chainsThatAnchorThemselvesKeepNoWorkersWaiting() throws {
        let (gate, isComplete) = (Gate(), Flag())
        gate.shut()
        let verdict = TrustVerdict(
            result: .unspecified, chain: [TrustVerdict.Link(certificate: [1], summary: "")])
        let judged = Counter()
        let starter = FakeWorkers { channel in
            let request = try? channel.withFrame(limit: TrustWire.maximumRequestBytes) { frame, _ in
                try TrustRequest(frame: frame)
            }
            var reply = TrustReply.evaluation(TrustJudgement(verdict))
            if case .certificates? = request {
                gate.pass()
                reply = .readings([.flaw("no")])
            } else if request != nil {
                isComplete.awaitRaise()
                _ = judged.next()
            }
            let answer = reply
            try? channel.send { answer.encode(to: &$0) }
            FakeWorkers.untilTheEnd(channel)
        }
        let workers = Self.patient(starter)
        var trustCase = TrustCase(TrustQuestion([[1]], policies: [TrustPolicy(.basic)]), roots: [[9]], now: 0)
        trustCase.question.options = .implicitAnchors
        let questions = (1...30).map { program in
            Work { [trustCase] in
                try Originator.$slot.withValue(.test(UInt64(program))) { try workers.judge(trustCase) }
            }
        }
        // Whoever came later than the answers would find the places taken by those whose second question the gate
        // keeps.
        try until { workers.waitingReaders + TrustWorkers.mostReaders == questions.count }
        isComplete.raise()
        // Places go to those first who had none.
        try until { judged.value + TrustWorkers.mostReaders >= questions.count }
        gate.open()
        for question in questions { #expect(throws: KeychainError.self) { try question.value() } }
        // More than these, and trustd is taken for broken.
        #expect(starter.mostAtOnce < 2 * TrustWire.maximumWorkers)
    }

    /// However many processes and connections a program has, another one can ask about certificates at once.
    @Test func oneProgramLeavesAPlaceToOthers() throws {
        let isOver = Flag()
        let isFirst = Counter()
        let starter = FakeWorkers { channel in
            _ = try? channel.withFrame(limit: TrustWire.maximumRequestBytes) { frame, _ in
                try TrustRequest(frame: frame)
            }
            if isFirst.next() == 1 { isOver.awaitRaise() }
            try? channel.send { TrustReply.readings([.flaw("no")]).encode(to: &$0) }
        }
        let workers = TrustWorkers(starter, seconds: 600, patience: 10)
        let first = Work { try Originator.$slot.withValue(.test(1)) { try workers.read([[1]]) } }
        try starter.started.wait(for: 1)
        #expect(throws: KeychainError(.notAvailable, "")) {
            try Originator.$slot.withValue(.test(1)) { try workers.read([[1]]) }
        }
        #expect(try Originator.$slot.withValue(.test(2)) { try workers.read([[1]]) } == [.flaw("no")])
        isOver.raise()
        #expect(try first.value() == [.flaw("no")])
    }

    /// A program whose signature is to be verified waits for one question of another program, and not for all.
    @Test func programsTakeTurns() throws {
        let (first, rest, isFirst) = (Gate(), Gate(), Counter())
        first.shut()
        rest.shut()
        let starter = FakeWorkers { [claims] channel in
            let request = try? channel.withFrame(limit: TrustWire.maximumRequestBytes) { frame, _ in
                try TrustRequest(frame: frame)
            }
            // The questions of the second program have another byte, and end at once.
            if case .signature(let asked)? = request, asked.signature == [1] {
                (isFirst.next() == 1 ? first : rest).pass()
            }
            try? channel.send { TrustReply.verdict(.claims(claims)).encode(to: &$0) }
        }
        let workers = Self.patient(starter)
        var other = question
        other.signature = [2]
        let (mine, others) = (question, other)
        func ask(_ question: SignatureQuestion, for program: UInt64) -> Work<SignatureVerdict> {
            Work { try Originator.$slot.withValue(.test(program)) { try workers.verify(question) } }
        }
        let many = (0..<20).map { _ in ask(mine, for: 1) }
        try until { workers.waiting >= 20 - ProcessStarter.mostVerifiers }
        let one = ask(others, for: 2)
        try until { workers.waiting >= 21 - ProcessStarter.mostVerifiers }
        first.open()
        #expect(try one.value() == .claims(claims))
        rest.open()
        for work in many { #expect(try work.value() == .claims(claims)) }
    }

    @Test func whoWaitsTooLongIsToldSo() throws {
        let isOver = Flag()
        let starter = FakeWorkers { _ in isOver.awaitRaise() }
        let workers = TrustWorkers(starter, seconds: 600, patience: 10)
        let question = question
        let done = Counter()
        for _ in 0..<ProcessStarter.mostVerifiers {
            _ = Worker.start {
                _ = try? workers.verify(question)
                _ = done.next()
            }
        }
        try starter.started.wait(for: ProcessStarter.mostVerifiers)
        #expect(throws: KeychainError(.notAvailable, "")) { try workers.verify(question) }
        isOver.raise()
        try done.wait(for: ProcessStarter.mostVerifiers)
    }
}
