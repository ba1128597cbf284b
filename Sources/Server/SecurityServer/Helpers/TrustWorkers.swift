import ChatelaineModel
import ChatelaineSystem
import SystemCalls
import TrustProtocol

/// Verifies signatures and certificates, each question by a process of its own; chains of one purpose may share one
/// (``KeptWorkers``).
///
/// After the first question, a process is started before the next question comes. A call may wait for seconds, and must
/// hold no lock and no budget meanwhile.
///
/// Programs share the places for questions (``ProgramPlaces``). A question is asked for the program whose request the
/// thread serves (``Originator``), or for securityd itself.
package final class TrustWorkers: Sendable {
    /// Seconds that a process may take; usual questions take a hundredth.
    static let seconds = 5
    /// Milliseconds that a question waits for those before it: two rounds of the slowest.
    static let patience = 10_000
    /// Questions about certificates at one time.
    ///
    /// Any program can ask them, about certificates that a stranger has made and that keep trustd busy until it is
    /// ended. The limit leaves places for signatures.
    static let mostReaders = ProcessStarter.mostVerifiers / 2

    /// What a question is about.
    enum Subject {
        case signatures
        case certificates
    }

    /// The process that is ready for the next question.
    private enum Spare {
        case none
        case starting
        case ready(WorkerProcess)
    }

    private let starter: any WorkerStarting
    let seconds: Int
    /// A place for each process that has a question, that ends, or that is started as the spare one.
    private let processes: ProgramPlaces<BudgetOwner?>
    /// One place is kept for programs that hold none.
    private let readers: ProgramPlaces<BudgetOwner?>
    private let spare = AdaptiveMutex(Spare.none)
    private let kept: KeptWorkers

    init(
        _ starter: any WorkerStarting, seconds: Int = seconds, patience: Int = patience,
        keeping kept: KeptWorkers = KeptWorkers()
    ) {
        self.starter = starter
        self.seconds = seconds
        self.kept = kept
        processes = ProgramPlaces(ProcessStarter.mostVerifiers, for: "questions for trustd", patience: patience)
        readers = ProgramPlaces(
            Self.mostReaders, for: "questions about certificates", keepsOne: true, patience: patience)
    }

    /// How many questions wait for a process.
    var waiting: Int { processes.waiting }
    /// How many questions about certificates wait for a place among these.
    var waitingReaders: Int { readers.waiting }

    /// Asks a process; nil where it ended or took too long.
    ///
    /// - Throws: `errSecNotAvailable` where no place is free in time, and what starting a process throws.
    func ask(_ request: TrustRequest, about subject: Subject) throws(KeychainError) -> TrustReply? {
        switch subject {
        case .signatures: try ask(request)
        case .certificates:
            try readers.hold(for: Originator.owner) { () throws(KeychainError) in try ask(request) }
        }
    }

    private func ask(_ request: TrustRequest) throws(KeychainError) -> TrustReply? {
        let owner = Originator.owner
        try processes.take(for: owner)
        let process: WorkerProcess
        do throws(KeychainError) { process = try ready() } catch {
            processes.giveBack(from: owner)
            throw error
        }
        let answer = put(request, to: process)
        settle { [self] in
            process.end()
            processes.giveBack(from: owner)
            prepareSpare()
        }
        return answer
    }

    /// Asks about a chain; a worker that has judged others for the same purpose gets it, if there is one.
    ///
    /// - Returns: the reply and its worker, which the caller has kept if it believes the reply
    ///   (``settle(_:isBelieved:)``); nil as for ``ask(_:about:)``.
    func ask(about trustCase: TrustCase) throws(KeychainError) -> (reply: TrustReply, worker: KeptWorkers.Kept?)? {
        let request = TrustRequest.evaluation(trustCase)
        guard let purpose = KeptWorkers.Purpose(trustCase.question, of: Originator.slot) else {
            return try ask(request, about: .certificates).map { ($0, nil) }
        }
        let owner = Originator.owner
        return try readers.hold(for: owner) { () throws(KeychainError) in
            try processes.take(for: owner)
            if let former = kept.take(for: purpose) {
                if let reply = put(request, to: former.worker) {
                    processes.giveBack(from: owner)
                    return (reply, former)
                }
                // An earlier chain may be the reason, so that another worker is asked.
                settle { former.worker.end() }
            }
            let end = kept.end
            let process: WorkerProcess
            do throws(KeychainError) { process = try ready() } catch {
                processes.giveBack(from: owner)
                throw error
            }
            let reply = put(request, to: process)
            let isFailure = reply == nil
            settle { [self] in
                if isFailure { process.end() }
                processes.giveBack(from: owner)
                prepareSpare()
            }
            return reply.map { ($0, .init(worker: process, purpose: purpose, end: end)) }
        }
    }

    /// Keeps a worker for the next chain, or ends one whose reply is not believed.
    func settle(_ worker: KeptWorkers.Kept?, isBelieved: Bool) {
        guard let worker else { return }
        if isBelieved { kept.keep(worker) } else { settle { worker.worker.end() } }
    }

    private func put(_ request: TrustRequest, to process: WorkerProcess) -> TrustReply? {
        process.ask(within: seconds, limit: TrustWire.maximumReplyBytes) {
            request.encode(to: &$0)
        } read: {
            try TrustReply(frame: $0)
        }
    }

    /// Cleans up on another thread, so that the caller does not wait for it.
    private func settle(_ body: @escaping @Sendable () -> Void) { if !Worker.start(body) { body() } }

    // MARK: One that is ready

    private func ready() throws(KeychainError) -> WorkerProcess {
        let process: WorkerProcess? = spare.withLock { spare in
            guard case .ready(let process) = spare else { return nil }
            spare = .none
            return process
        }
        if let process, process.isReady { return process }
        process?.end()
        return try WorkerProcess(starter)
    }

    /// Starts a spare process.
    ///
    /// It takes a place until it is ready. Whoever takes the last place finds it ready, or it has been taken. So there
    /// are never more processes than places.
    private func prepareSpare() {
        guard processes.takeIfFree(for: nil) else { return }
        defer { processes.giveBack(from: nil) }
        let isNeeded = spare.withLock { spare in
            guard case .none = spare else { return false }
            spare = .starting
            return true
        }
        guard isNeeded else { return }
        // Without a spare process the next question starts its own, and reports what is wrong.
        let process = try? WorkerProcess(starter)
        spare.withLock { $0 = process.map { .ready($0) } ?? .none }
    }
}
