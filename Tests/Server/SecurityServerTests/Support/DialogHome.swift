import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol
import Glibc
import Synchronization
import TestSupport

@testable import CallerIdentity
@testable import SecurityServer
@testable import ChatelaineSystem
@testable import SystemCalls

/// File keychains with a real enclaved, and a real agent that asks with a real pinentry in a terminal.
final class DialogHome {
    let folder: TemporaryFolder
    let terminal: TestTerminal
    let agents: Agents
    let enclave: EnclaveConnection
    let keychains: FileKeychainRegistry
    let queue: DialogQueue
    /// The store that has the passcode.
    let keybag = StoreIdentifier()
    /// The clock, in seconds, by which refusals are forgotten.
    let clock: Clock
    private let launcher: CustodianProcesses

    /// Starts agents as securityd's helper does.
    final class Agents: ProcessStarting {
        private let pinentry: String
        private let running = Mutex<[pid_t: ChildProcess]>([:])
        let started = Atomic(0)

        init(_ pinentry: String) { self.pinentry = pinentry }

        func start(channel: Int32) throws(KeychainError) -> pid_t {
            started.add(1, ordering: .relaxed)
            do {
                let agent = try ChildProcess(
                    [BuildFolder.program("security-agent"), "--pinentry", pinentry],
                    environment: ["PATH=/usr/bin:/bin"], files: [(channel, 3)], inheritsOthers: false)
                running.withLock { $0[agent.pid] = agent }
                return agent.pid
            } catch {
                throw KeychainError(.internalComponent, "\(error)")
            }
        }

        func end(_ pid: pid_t) {
            let agent = running.withLock { $0[pid] }
            agent?.kill()
            running.withLock { $0[pid] = nil }
        }

        var count: Int { running.withLock { $0.count } }
    }

    final class Clock: Sendable {
        let seconds = Atomic(1000)

        func advance(by seconds: Int) { self.seconds.add(seconds, ordering: .relaxed) }
    }

    init(_ pinentry: String = "/usr/bin/pinentry-tty", passcode: String? = "code") throws {
        folder = try TemporaryFolder()
        for name in ["data", "state"] { mkdir("\(folder.path)/\(name)", 0o700) }
        terminal = try TestTerminal()
        launcher = CustodianProcesses(stateFolder: folder.path + "/enclave")
        let log = Log(file: folder.path + "/log")
        enclave = EnclaveConnection(launcher: launcher, log: log)
        keychains = .test(in: folder.path, enclave, log)
        agents = Agents(pinentry)
        let clock = Clock()
        self.clock = clock
        let (enclave, keybag) = (enclave, keybag)
        queue = DialogQueue(
            starter: agents, checking: PasscodeOfNothing(), place: DialogPlace.Finder(pinentry: pinentry, session: []),
            log: log, denials: DialogDenials(log: log) { clock.seconds.load(ordering: .relaxed) },
            tries: DialogTries(log: log) { clock.seconds.load(ordering: .relaxed) })
        keychains.whenOpened { [queue] in queue.noteOpening(of: $0) }
        _ = try enclave.openStore(keybag, isEmpty: true)
        guard let passcode else { return }
        let pipe = try TestPipe(Array(passcode.utf8))
        _ = try enclave.call(SetPasscode(keybag), passcodes: [pipe.reading])
    }

    /// The passcode of the default keychain, which no question here concerns.
    private struct PasscodeOfNothing: PasscodeChecking {
        func standing() -> PasscodeStanding { PasscodeStanding() }
        func check(_ pipe: Int32) throws(KeychainError) -> PasscodeVerdict { .wrong(standing()) }
    }

    func path(_ name: String = "login") throws -> KeychainPath {
        try keychains.path("\(folder.path)/data/keychains/\(name).keychain-db")
    }

    func create(_ name: String = "login", _ password: String = "right") throws {
        let pipe = try TestPipe(Array(password.utf8))
        try keychains.withKeychain(at: path(name)) { (keychain) throws(KeychainError) in
            _ = try keychain.create(password: pipe.reading)
        }
    }

    /// Unlocks the keychain as a program does that brings the password.
    func unlock(_ name: String = "login", _ password: String = "right") throws -> PasscodeOutcome {
        let pipe = try TestPipe(Array(password.utf8))
        return try keychains.withKeychain(at: path(name)) { (keychain) throws(KeychainError) in
            try keychain.unlock(password: pipe.reading, from: .program(Bytes16(repeating: 3))).outcome
        }
    }

    func isUnlocked(_ name: String = "login") throws -> Bool {
        try keychains.withKeychain(at: path(name)) { (keychain) throws(KeychainError) in try keychain.state() }
            .isUnlocked
    }

    func lock(_ name: String = "login") throws {
        try keychains.withKeychain(at: path(name)) { (keychain) throws(KeychainError) in try keychain.lock() }
    }

    // MARK: Questions

    private static func digest(_ byte: UInt8) -> TrustedApplication.Identity? {
        Bytes32([UInt8](repeating: byte, count: 32)).map { .digest(ExecutableDigest($0)) }
    }

    /// A program at a path, identified by its digest.
    static func caller(_ path: String = "/opt/mail", doubts: ACLCaller.Doubts = []) -> ACLCaller {
        ACLCaller(
            digest(0xAB), .file, at: ExactText(path), .unsigned, in: nil,
            doubts: doubts)
    }

    /// A question about an item that lists `listed`.
    static func question(
        _ caller: ACLCaller, listed: [TrustedApplication] = [], _ selector: PromptSelector = []
    ) throws -> ACLQuestion {
        let access = AccessObject(
            owner: ACLEntry([.changeACL], .applications([], ACLPrompt("owner"))),
            entries: [ACLEntry([.decrypt], .applications(listed, ACLPrompt("mail of ada", selector)))])
        guard case .needsPerson(let question) = ACLEvaluation.decide(access, right: .decrypt, caller: caller, ui: true)
        else { throw SystemError("nobody is asked") }
        return question
    }

    /// The program that was listed with the same path and another digest.
    static var formerly: [TrustedApplication] {
        digest(0xCD).map { [TrustedApplication($0, .file, at: "/opt/mail")] } ?? []
    }

    /// A question about an item, as a request asks it.
    func inquiry(
        _ caller: ACLCaller = DialogHome.caller(), listed: [TrustedApplication] = [], _ selector: PromptSelector = [],
        item: ItemIdentifier = ItemIdentifier(), from program: String = "/opt/mail"
    ) throws -> PersonInquiry {
        let question = try Self.question(caller, listed: listed, selector)
        let use = KeychainItemUse(
            keychain: try path(), item: item, epoch: 0, label: "mail", caller: caller, right: .decrypt,
            question: question)
        let proof = try KeychainAccessProof(question, about: path(), in: keychains, orPasscodeOf: keybag, enclave)
        return try inquiry(use, .keychainAccess(proof), from: program)
    }

    func inquiry(
        _ subject: any PersonSubject, _ proof: PersonProof, from program: String = "/opt/mail",
        at terminal: TestTerminal? = nil
    ) throws -> PersonInquiry {
        try PersonInquiry(
            PersonQuestion(
                caller: Caller.sample(program).identity, keychain: .default, subject: subject, proof: proof,
                terminal: (terminal ?? self.terminal).path, parent: "/usr/bin/bash"))
    }

    /// Asks a question, lets the test answer, and returns the result.
    func answer(_ inquiry: PersonInquiry, _ meanwhile: () throws -> Void = {}) throws -> PersonAnswer? {
        guard queue.ask(inquiry) else { throw SystemError("nobody can be asked") }
        // As a request does whose answer is written down.
        defer { inquiry.noteSettlement() }
        try meanwhile()
        var pair: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&pair) == 0 else { throw SystemError("a socket pair") }
        defer { for end in pair { close(end) } }
        return inquiry.wait(orEndOf: pair[0])
    }

    func word(_ answer: PersonAnswer?) -> String { answer.map { "\($0)".prefix { $0 != "(" } + "" } ?? "nil" }

    func type(_ text: String, at prompt: String) throws {
        try terminal.expect(prompt)
        _ = terminal.settle()
        try terminal.type(text)
    }

    /// Waits until no agent runs, so that the terminal is as before.
    func awaitNoAgent() throws {
        try until("no agent is left") { agents.count == 0 }
    }
}
