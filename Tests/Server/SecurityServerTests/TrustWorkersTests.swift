import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc
import Synchronization
import SystemCalls
import TestSupport
import Testing
import TrustProtocol

@testable import SecurityServer

/// securityd handles the processes that check signatures.
struct TrustWorkersTests {
    let question: SignatureQuestion
    let claims: SignedClaims

    init() throws {
        let team = try #require(TeamIdentifier("TEAM123456"))
        let digest = try #require(Bytes32([UInt8](repeating: 1, count: 32)))
        let anchor = TeamAnchor(owner: TeamOwner(team: team, anchorKey: digest), certificate: [])
        question = SignatureQuestion(signature: [1], digest: ExecutableDigest(digest), anchor: anchor, now: 50)
        claims = SignedClaims(
            owner: anchor.owner, identifier: "TEAM123456.one", keychainGroups: ["TEAM123456.a"],
            applicationGroups: ["b"], entitlements: [], validFrom: 10, validUntil: 90, certificates: [])
    }

    static func answering(_ reply: TrustReply, after milliseconds: UInt32 = 0) -> FakeWorkers {
        FakeWorkers { channel in
            _ = try? channel.withFrame(limit: TrustWire.maximumRequestBytes) { frame, _ in
                try TrustRequest(frame: frame)
            }
            usleep(milliseconds * 1000)
            try? channel.send { reply.encode(to: &$0) }
        }
    }

    /// For tests without a matter of time, where each question is answered on the slowest machine.
    static func patient(_ starter: FakeWorkers) -> TrustWorkers {
        TrustWorkers(starter, seconds: 120, patience: 120_000)
    }

    private func verdict(_ reply: TrustReply) throws -> SignatureVerdict {
        try Self.patient(Self.answering(reply)).verify(question)
    }

    @Test func whatIsAnsweredIsHandedOn() throws {
        let starter = Self.answering(.verdict(.claims(claims)))
        #expect(try Self.patient(starter).verify(question) == .claims(claims))
        try awaitEnds(1, of: starter)
        let defect = SignatureVerdict.defect(.expired, detail: "it was")
        #expect(try verdict(.verdict(defect)) == defect)
        #expect(throws: KeychainError(.param, "")) {
            try Self.patient(Self.answering(.unsuitable("no"))).examine(AnchorQuestion(file: [], team: nil, now: 0))
        }
    }

    /// A compromised worker may claim anything, but only claims about its question are accepted.
    @Test func anAnswerIsAboutTheQuestion() throws {
        func isRefused(_ change: (inout SignedClaims) -> Void) throws -> Bool {
            var other = claims
            change(&other)
            let reply = TrustReply.verdict(.claims(other))
            return (try? verdict(reply)) == nil
        }
        #expect(try !isRefused { _ in })
        let other = try #require(TeamIdentifier("OTHER12345"))
        #expect(try isRefused { $0.owner = TeamOwner(team: other, anchorKey: $0.owner.anchorKey) })
        #expect(try isRefused { $0.identifier = "OTHER12345.one" })
        #expect(try isRefused { $0.keychainGroups.append("OTHER12345.one") })
        #expect(try isRefused { $0.validUntil = 49 })
        #expect(try isRefused { $0.validFrom = 51 })
        #expect(throws: KeychainError.self) { try verdict(.verdict(.needsAnchor(other))) }
        #expect(throws: KeychainError.self) { try verdict(.unsuitable("no")) }
        var without = question
        without.anchor = nil
        let workers = TrustWorkers(Self.answering(.verdict(.needsAnchor(other))))
        #expect(try workers.verify(without) == .needsAnchor(other))
        #expect(throws: KeychainError.self) {
            try TrustWorkers(Self.answering(.verdict(.claims(claims)))).verify(without)
        }
    }

    /// Fetched certificates may be part of a chain, alone or from a list, but are not anchors.
    @Test func aChainIsOfWhatIsKnown() throws {
        var trustCase = TrustCase(TrustQuestion([[1]], policies: [TrustPolicy(.basic)]), roots: [[9]], now: 0)
        trustCase.fetched.issuers = [[2], [0x30, 3, 3, 3, 0]]
        trustCase.fetched.responses = [[4]]
        func isBelieved(_ result: TrustVerdict.Result, _ chain: [[UInt8]]) -> Bool {
            var links = chain.map { TrustVerdict.Link(certificate: $0, summary: "") }
            if result != .unspecified { links[0].defects = [.notTrusted] }
            let verdict = TrustVerdict(result: result, chain: links)
            let reply = TrustReply.evaluation(TrustJudgement(verdict))
            return (try? Self.patient(Self.answering(reply)).judge(trustCase)) != nil
        }
        #expect(isBelieved(.unspecified, [[1], [2], [9]]))
        #expect(isBelieved(.unspecified, [[1], [3, 3, 3], [9]]))
        #expect(isBelieved(.recoverableTrustFailure, [[1], [2]]))
        for chain: [[UInt8]] in [[[1], [2]], [[1], [3, 3, 3]], [[1], [4], [9]], [[1], [7], [9]], [[2], [9]]] {
            #expect(!isBelieved(.unspecified, chain), "\(chain)")
        }
        #expect(!isBelieved(.recoverableTrustFailure, [[1], [7]]))
    }

    /// Otherwise a worker could have a program take a signature of its owner's for one of the certificate's.
    @Test func theKeyIsThatOfTheCertificate() throws {
        let trustCase = TrustCase(
            TrustQuestion([[1, 7, 8, 2]], policies: [TrustPolicy(.basic)]), roots: [[9]], now: 0)
        for (key, isBelieved) in [([7, 8], true), ([8, 7], false), ([9], false)] as [([UInt8], Bool)] {
            let verdict = TrustVerdict(
                result: .unspecified,
                chain: [[1, 7, 8, 2], [9]].map { TrustVerdict.Link(certificate: $0, summary: "") },
                key: TrustVerdict.Key(.p256, key))
            let reply = TrustReply.evaluation(TrustJudgement(verdict))
            #expect(((try? Self.patient(Self.answering(reply)).judge(trustCase)) != nil) == isBelieved)
        }
    }

    /// If a program accepts self-signed anchors, a second worker checks that the anchor is self-signed.
    @Test func aSecondWorkerReadsWhatIsAnAnchorByItself() throws {
        var trustCase = TrustCase(TrustQuestion([[1], [5]], policies: [TrustPolicy(.basic)]), roots: [[9]], now: 0)
        (trustCase.fetched.issuers, trustCase.question.stored) = ([[2]], [[6]])
        let names = [[1], [2]].map { CertificateName(encoded: $0, normalized: $0, parts: []) }
        let key = CertificateKey(
            algorithm: "1.2", kind: nil, bits: nil, representation: [],
            hash: [UInt8](repeating: 1, count: CertificateKey.hashBytes))
        func reading(issuer: Int) -> CertificateReading {
            .report(
                CertificateReport(
                    version: 3, serialNumber: [1], signatureAlgorithm: "1.2", issuer: names[issuer], subject: names[0],
                    notBefore: 0, notAfter: 1, key: key))
        }
        func isBelieved(_ chain: [[UInt8]], _ reading: CertificateReading) -> Bool {
            let verdict = TrustVerdict(
                result: .unspecified, chain: chain.map { TrustVerdict.Link(certificate: $0, summary: "") })
            let starter = FakeWorkers { channel in
                let request = try? channel.withFrame(limit: TrustWire.maximumRequestBytes) { frame, _ in
                    try TrustRequest(frame: frame)
                }
                var reply = TrustReply.evaluation(TrustJudgement(verdict))
                if case .certificates? = request { reply = .readings([reading]) }
                let answer = reply
                try? channel.send { answer.encode(to: &$0) }
            }
            return (try? Self.patient(starter).judge(trustCase)) != nil
        }
        let (itself, another) = (reading(issuer: 0), reading(issuer: 1))
        #expect(!isBelieved([[1], [5]], itself))
        trustCase.question.options = .implicitAnchors
        #expect(isBelieved([[1], [5]], itself) && isBelieved([[1]], itself) && isBelieved([[1], [6], [9]], another))
        #expect(!isBelieved([[1]], another) && !isBelieved([[1], [5]], .flaw("none")))
        // A fetched certificate is not an anchor, nor is one from a keychain.
        #expect(!isBelieved([[1], [2]], itself) && !isBelieved([[1], [6]], itself))
    }

    /// A compromised worker cannot make securityd ask servers that no certificate names.
    @Test func onlyServersThatCertificatesNameAreAsked() throws {
        func named(_ url: String) -> [UInt8] {
            let count = url.utf8.count
            let head: [UInt8] = count < 128 ? [0x86] : count < 256 ? [0x86, 0x81] : [0x86, 0x82, UInt8(count >> 8)]
            return [0x30, 1] + head + [UInt8(count & 0xFF)] + [UInt8](url.utf8)
        }
        let urls = [50, 200, 300].map { "http://a/" + String(repeating: "x", count: $0) }
        let leaf = urls.flatMap(named)
        let trustCase = TrustCase(
            TrustQuestion([leaf, named("http://other/")], policies: [TrustPolicy(.ssl)]), roots: [[9]], now: 0)
        func isBelieved(_ urls: [String]) -> Bool {
            let verdict = TrustVerdict(
                result: .recoverableTrustFailure,
                chain: [TrustVerdict.Link(certificate: leaf, summary: "", defects: [.noIssuer])])
            let needs = [EvidenceNeed(urls.map { EvidenceSource(.issuer, at: $0) })]
            let reply = TrustReply.evaluation(TrustJudgement(verdict, needs: needs))
            return (try? Self.patient(Self.answering(reply)).judge(trustCase)) != nil
        }
        #expect(isBelieved([]) && isBelieved(urls))
        // A part of an address, a certificate outside the chain, and an address in no certificate.
        for url in [String(urls[0].dropLast()), "http://other/", "http://nowhere/", ""] {
            #expect(!isBelieved([urls[0], url]), "\(url)")
        }
    }

    @Test func oneThatSaysNothingIsEnded() throws {
        for life: @Sendable (FrameChannel) -> Void in [
            { _ in },
            { channel in
                var bytes: [UInt8] = [200, 0, 0, 0, 1]
                send(channel.socket, &bytes, bytes.count, Int32(MSG_NOSIGNAL))
                FakeWorkers.untilTheEnd(channel)
            },
            { channel in
                var bytes: [UInt8] = [1, 0, 0, 0, 0xFF]
                send(channel.socket, &bytes, bytes.count, Int32(MSG_NOSIGNAL))
            },
            FakeWorkers.untilTheEnd,
        ] {
            let starter = FakeWorkers(life)
            let verdict = try TrustWorkers(starter, seconds: 1).verify(question)
            guard case .defect(.unreadable, _) = verdict else {
                Issue.record("\(verdict)")
                continue
            }
            try awaitEnds(1, of: starter)
        }
    }

    @Test func whatIsTooLargeStartsNone() throws {
        let starter = Self.answering(.verdict(.claims(claims)))
        var large = question
        large.signature = [UInt8](repeating: 0, count: SignatureLimits.maximumFileBytes + 1)
        guard case .defect(.tooLarge, _) = try Self.patient(starter).verify(large) else {
            Issue.record("it was looked at")
            return
        }
        #expect(starter.started.value == 0)
    }

    /// A worker ends after its answer, and no request waits for that.
    func awaitEnds(_ count: Int, of starter: FakeWorkers) throws {
        try starter.ended.wait(for: count)
        try #require(starter.ended.value == count)
    }

    func awaitStarts(_ count: Int, of starter: FakeWorkers) throws {
        try starter.started.wait(for: count)
        try #require(starter.started.value == count)
    }

    // MARK: Certificates

    @Test func certificatesAreReadWithinLimits() throws {
        let starter = Self.answering(.readings([.flaw("no"), .flaw("none")]))
        let workers = Self.patient(starter)
        #expect(try workers.read([[1], [2]]) == [.flaw("no"), .flaw("none")])
        #expect(try workers.read([]).isEmpty)
        // The answer is about other certificates than the question.
        #expect(throws: KeychainError(.internalComponent, "")) { try workers.read([[1]]) }
        let many = [[UInt8]](repeating: [1], count: CertificateLimits.maximumBatch + 1)
        #expect(throws: KeychainError(.param, "")) { try workers.read(many) }
        let large = [[UInt8]](repeating: [UInt8](repeating: 0, count: CertificateLimits.maximumBytes), count: 5)
        #expect(throws: KeychainError(.param, "")) { try workers.read(large) }
        let names = [[UInt8]](repeating: [1], count: CertificateLimits.maximumIssuers + 1)
        #expect(throws: KeychainError(.param, "")) { try workers.normalize(names) }
        #expect(throws: KeychainError(.param, "")) {
            try Self.patient(Self.answering(.unsuitable("no"))).normalize([[1]])
        }
        #expect(try Self.patient(Self.answering(.names([[7]]))).normalize([[1]]) == [[7]])
    }

    // MARK: In the helper

    private final class Calls: Sendable {
        let spawned = Counter()
        let ended = Mutex<[pid_t]>([])

        var calls: ProcessCalls {
            var calls = ProcessCalls.system
            calls.spawn = { [spawned] _, _, _, _ throws(Errno) in Int32(1000 + spawned.next()) }
            calls.kill = { [self] pid, signal throws(Errno) in
                if signal == SIGKILL { ended.withLock { $0.append(pid) } }
            }
            calls.waitpid = { pid, _ throws(Errno) in pid }
            return calls
        }
    }

    @Test func theHelperEndsWhatItHasStartedAndNothingElse() {
        let calls = Calls()
        var workers = ProcessStarter.Processes(.trust(program: "/trustd"), calls: calls.calls)
        let pids = (0..<TrustWire.maximumWorkers).map { _ in workers.carryOut(ProcessStarter.start, channel: 9) }
        #expect(pids == [1001, 1002, 1003, 1004, 1005, 1006, 1007])
        #expect(workers.carryOut(ProcessStarter.start, channel: 9) == -EAGAIN)
        for pid in [1, 999, 1008, -1, 1002, 1002] as [pid_t] { #expect(workers.carryOut(pid, channel: -1) == 0) }
        #expect(calls.ended.withLock { $0 } == [1002])
        #expect(workers.carryOut(ProcessStarter.start, channel: 9) == 1008)
    }
}
