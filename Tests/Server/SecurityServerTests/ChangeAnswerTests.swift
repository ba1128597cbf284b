import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import CallerIdentity
@testable import ChatelaineIPC
@testable import ItemStore
@testable import SecurityServer

/// A user is asked about a changed program, and the answer counts for what was shown.
///
/// The enclaved and the list of programs are real.
@Suite struct ChangeAnswerTests {
    /// A changed program and its connection.
    private final class Changed: @unchecked Sendable {
        // `@unchecked Sendable`: what changes is touched by the thread of one request at a time.
        let home: ConstraintHome
        let person = FakePerson()
        let services: Services
        let opened: IdentityService.Opened
        let connection: TestConnection
        let path: CanonicalPath
        let isRunning = Atomic(true)
        private var answer: ChangeAnswer?
        private(set) var answers: [ChangeAnswer?] = []

        init(hasPasscode: Bool) throws {
            home = try ConstraintHome(hasPasscode: hasPasscode)
            let keychain = try home.services.keychains.default.keychain()
            try home.services.identities.open(with: keychain.store)
            opened = try #require(home.services.identities.opened)
            var services = home.services
            services.inquiries = Inquiries(person)
            self.services = services
            connection = try TestConnection()
            let text = "\(home.folder.path)/app"
            path = try #require(CanonicalPath(text))
            try write("first")
            try opened.ledger.pin(path, digest: digest)
            try write("second")
        }

        func write(_ text: String) throws {
            let file = try #require(fopen(path.text, "w"))
            fputs(text, file)
            fclose(file)
            try #require(chmod(path.text, 0o755) == 0)
        }

        var digest: ExecutableDigest { get throws { try opened.resolver.program(at: path.text).digest } }
        var state: ApplicationState { get throws { opened.ledger.evaluate(path, digest: try digest) } }

        func caller() throws(KeychainError) -> Caller {
            let program = try opened.resolver.program(at: path.text)
            let digest = program.digest
            let identity = Identity(
                principal: Principal(user: geteuid(), application: AccessGroup("pinned:\(path)")), assurance: .file,
                state: opened.ledger.evaluate(path, digest: digest), pid: getpid(), group: 100, executablePath: path,
                displayName: "app", hints: [], digest: digest, ledgerRevision: 0)
            var change: CallerChange?
            if identity.state == .changed, let record = opened.ledger.pin(at: path) {
                change = CallerChange(change: ProgramChange(record: record, digest: digest, modified: 0)) { [self] in
                    isRunning.load(ordering: .relaxed)
                }
            }
            return AccessPolicy.caller(identity, inKeychainOf: geteuid(), change: change, answer: answer)
        }

        func acceptance() throws -> ChangeAcceptance {
            let change = try #require(try caller().change)
            return ChangeAcceptance(change, services.identities, opened, services.enclave)
        }

        /// Carries out a search on a thread of its own, as a session does.
        func begin(_ ui: AuthenticationUI = .allow) -> Work<Void> { begin(WaitingHome.find("ada", ui: ui)) }

        func begin(_ request: some RequestMessage) -> Work<Void> {
            Work { [self] in
                var writer = CBORWriter()
                request.encode(to: &writer)
                let frame = writer.finishArray()
                let waiting = try frame.withUnsafeBytes { frame in
                    var handler = RequestHandler(
                        RequestContext(
                            services: services, slot: connection.slot, channel: connection.server, frame: frame
                        ) { [self] () throws(KeychainError) -> Caller in try caller() })
                    return try handler.begin(RequestReader(frame))
                }
                try waiting?.finish(
                    with: Peer(
                        recheck: { [self] in
                            guard isRunning.load(ordering: .relaxed) else { throw SessionError.executableChanged }
                        }, inspect: { _, _ in },
                        decide: { [self] in
                            answer = $0
                            answers.append($0)
                        }))
            }
        }

        func status(_ ui: AuthenticationUI = .allow) throws -> Status {
            let work = begin(ui)
            let reply = try connection.reply()
            try work.value()
            return reply.status
        }

        func check(_ acceptance: ChangeAcceptance, _ passcode: String) throws -> String {
            let pipe = try TestPipe(Array(passcode.utf8))
            let verdict = try acceptance.check(pipe.reading)
            return "\("\(verdict)".prefix { $0 != "(" })"
        }
    }

    // MARK: The request

    @Test func onlyThisTimeIsForTheConnection() throws {
        let changed = try Changed(hasPasscode: true)
        let work = changed.begin()
        let inquiry = changed.person.question(1)
        guard let acceptance = inquiry.question.subject as? ChangeAcceptance else { throw SystemError("a question") }
        #expect(acceptance.change.digest == (try changed.digest) && acceptance.change.former != nil)
        inquiry.answer(.allowedOnce)
        #expect(try changed.connection.reply().status == .itemNotFound)
        try work.value()
        // The connection is not asked again, and nothing is recorded.
        #expect(try changed.status() == .itemNotFound && changed.status(.fail) == .itemNotFound)
        #expect(changed.person.count == 1 && changed.opened.ledger.changes().isEmpty)
        #expect(try changed.state == .changed)
        // Another file is another program.
        try changed.write("third")
        let next = changed.begin()
        changed.person.question(2).answer(.denied)
        #expect(try changed.connection.reply().status == .authFailed)
        try next.value()
    }

    /// A search that judges certificates is allowed once as well, although it holds no turn.
    @Test func aSearchOfJudgedCertificatesAsks() throws {
        let changed = try Changed(hasPasscode: true)
        var query = ItemQuery(itemClass: .certificate)
        query.certificateTerms.isTrustedOnly = true
        query.authenticationUI = .allow
        let work = changed.begin(FindItems(query))
        changed.person.question(1).answer(.allowedOnce)
        #expect(try changed.connection.reply().status == .itemNotFound)
        try work.value()
        #expect(changed.person.count == 1)
    }

    /// The change is kept until the answer comes, although its frame is gone.
    @Test func aChangeWaitsAsWell() throws {
        let changed = try Changed(hasPasscode: false)
        var item = NewItem(itemClass: .genericPassword)
        item.secret = SecretBytes([1])
        let work = changed.begin(AddItem(item))
        changed.person.question(1).answer(.allowedOnce)
        #expect(try changed.connection.reply().status == .success)
        try work.value()
        let next = changed.begin(DeleteItems(ItemQuery(itemClass: .genericPassword)))
        #expect(try changed.connection.reply().status == .success)
        try next.value()
        #expect(changed.person.count == 1)
    }

    @Test(arguments: [
        (PersonAnswer.denied, Status.authFailed), (.wrong, .authFailed), (.cancelled, .userCanceled),
        (.timedOut, .userCanceled), (.impossible(KeychainError(.interactionNotAllowed, "")), .authFailed),
    ])
    func whoSaysNoIsAskedOnce(answer: PersonAnswer, status: Status) throws {
        let changed = try Changed(hasPasscode: true)
        let work = changed.begin()
        changed.person.question(1).answer(answer)
        #expect(try changed.connection.reply().status == status)
        try work.value()
        #expect(try changed.status() == .authFailed)
        #expect(changed.person.count == 1)
        #expect(try changed.state == .changed)
    }

    /// A refusal that another process of the program got is not an answer about this one.
    @Test func whoWasRefusedAMomentAgoIsAskedLater() throws {
        let changed = try Changed(hasPasscode: true)
        let work = changed.begin()
        let refusal = KeychainError(cause: .notEntitled, status: .authFailed, "ask again in 10 s")
        changed.person.question(1).answer(.impossible(refusal))
        #expect(try changed.connection.reply().status == .authFailed)
        try work.value()
        #expect(changed.answers.isEmpty)
        let later = changed.begin()
        changed.person.question(2).answer(.allowedOnce)
        #expect(try changed.connection.reply().status == .itemNotFound)
        try later.value()
    }

    @Test func withoutAPasscodeAButtonDecides() throws {
        let changed = try Changed(hasPasscode: false)
        let work = changed.begin()
        changed.person.question(1).answer(.allowed)
        #expect(try changed.connection.reply().status == .itemNotFound)
        try work.value()
        #expect(try changed.state == .pinned && changed.opened.ledger.changes().count == 1)
    }

    /// Where there is a passcode, a button alone does not count.
    @Test func withAPasscodeAButtonDecidesNothing() throws {
        let changed = try Changed(hasPasscode: true)
        let work = changed.begin()
        changed.person.question(1).answer(.allowed)
        #expect(try changed.connection.reply().status == .authFailed)
        try work.value()
        #expect(try changed.state == .changed)
    }

    @Test(arguments: [PersonAnswer.allowed, .allowedOnce])
    func anAnswerIsAboutWhatWasShown(answer: PersonAnswer) throws {
        let changed = try Changed(hasPasscode: false)
        let work = changed.begin()
        let first = changed.person.question(1)
        try changed.write("third")
        first.answer(answer)
        // The answer was about another file, so a new question follows.
        let second = changed.person.question(2)
        guard let acceptance = second.question.subject as? ChangeAcceptance else { throw SystemError("a question") }
        #expect(acceptance.change.digest == (try changed.digest))
        #expect(try changed.state == .changed && changed.answers == [nil])
        // The answer does not count for another record either.
        let other = try #require(ExecutableDigest([UInt8](repeating: 3, count: 32)))
        try changed.opened.ledger.carryOut(.accept(changed.path, other))
        second.answer(answer)
        changed.person.question(3).answer(.denied)
        #expect(try changed.connection.reply().status == .authFailed)
        try work.value()
        #expect(try changed.state == .changed)
    }

    @Test(arguments: [PersonAnswer.allowed, .allowedOnce])
    func anExecEndsIt(answer: PersonAnswer) throws {
        let changed = try Changed(hasPasscode: false)
        let work = changed.begin()
        let inquiry = changed.person.question(1)
        changed.isRunning.store(false, ordering: .relaxed)
        inquiry.answer(answer)
        #expect(throws: SessionError.self) { try work.value() }
        #expect(try changed.state == .changed && changed.answers.isEmpty)
    }

    @Test func whereNobodyCanBeAskedItIsRefused() throws {
        let changed = try Changed(hasPasscode: false)
        #expect(try changed.status(.fail) == .authFailed && changed.status(.skip) == .authFailed)
        #expect(changed.person.count == 0)
        changed.person.leave()
        #expect(try changed.status() == .authFailed)
    }

    // MARK: The passcode

    @Test func thePasscodeMakesItTheOlderOne() throws {
        let changed = try Changed(hasPasscode: true)
        let acceptance = try changed.acceptance()
        #expect(throws: KeychainError(.authFailed, "")) { _ = try acceptance.conclude() }
        #expect(try changed.check(acceptance, "wrong") == "wrong" && changed.state == .changed)
        #expect(try changed.check(acceptance, ConstraintHome.passcode) == "right")
        #expect(try changed.state == .pinned && changed.opened.ledger.changes().count == 1)
        #expect(try acceptance.conclude())
        // The custodian confirms the signature.
        try changed.services.identities.review()
        #expect(try changed.state == .pinned)
    }

    @Test func thePasscodeIsForWhatWasShown() throws {
        let changed = try Changed(hasPasscode: true)
        let acceptance = try changed.acceptance()
        changed.isRunning.store(false, ordering: .relaxed)
        #expect(try changed.check(acceptance, ConstraintHome.passcode) == "right" && changed.state == .changed)
        changed.isRunning.store(true, ordering: .relaxed)
        try changed.write("third")
        #expect(try changed.check(acceptance, ConstraintHome.passcode) == "right" && changed.state == .changed)
        try changed.write("second")
        #expect(acceptance.isCurrent && changed.opened.ledger.changes().isEmpty)
        #expect(try changed.check(acceptance, ConstraintHome.passcode) == "right" && changed.state == .pinned)
        // A decision in the meantime made another record.
        #expect(!acceptance.isCurrent)
    }
}
