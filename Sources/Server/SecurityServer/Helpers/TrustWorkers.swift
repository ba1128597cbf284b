import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import SystemCalls
import TrustProtocol

/// Verifies signatures and certificates, each question by a process of its own.
///
/// After the first question, a process is started before the next question comes. A call may wait for seconds, and must
/// hold no lock and no budget meanwhile.
package final class TrustWorkers: Sendable {
    /// Seconds that a process may take; usual questions take a hundredth.
    static let seconds = 5
    /// Milliseconds that a question waits for those before it: two rounds of the slowest.
    static let patience = 10_000
    /// Questions about certificates at one time.
    ///
    /// Any program can ask them, and the limit leaves places for signatures.
    static let mostReaders = ProcessStarter.mostVerifiers / 2

    /// What a question is about.
    enum Subject {
        case signatures
        case certificates

        /// How many questions of both subjects may be under way when another begins.
        var most: Int {
            switch self {
            case .signatures: ProcessStarter.mostVerifiers
            case .certificates: mostReaders
            }
        }

        var name: StaticString {
            switch self {
            case .signatures: "signatures"
            case .certificates: "certificates"
            }
        }
    }

    private let starter: any TrustdStarting
    let seconds: Int
    private let patience: Int
    private let monitor = Monitor()
    // SAFETY: these are read and written inside of `monitor`.
    nonisolated(unsafe) private var working = 0
    nonisolated(unsafe) private var spare: TrustProcess?
    nonisolated(unsafe) private var isPreparing = false

    init(_ starter: any TrustdStarting, seconds: Int = seconds, patience: Int = patience) {
        self.starter = starter
        self.seconds = seconds
        self.patience = patience
    }

    /// Asks a process; nil where it ended or took too long.
    func ask(_ request: TrustRequest, about subject: Subject) throws(KeychainError) -> TrustReply? {
        let taken = try takePlace(for: subject)
        let process: TrustProcess
        do throws(KeychainError) { process = try ready(taken) } catch {
            givePlaceBack()
            throw error
        }
        let answer = process.answer(to: request, within: seconds)
        // The cleanup runs on another thread, so that the caller does not wait for it.
        let settle: @Sendable () -> Void = { [self] in
            process.end()
            givePlaceBack()
            prepareSpare()
        }
        if !Worker.start(settle) { settle() }
        return answer
    }

    // MARK: One that is ready

    private func ready(_ spare: TrustProcess?) throws(KeychainError) -> TrustProcess {
        if let spare, spare.isReady { return spare }
        spare?.end()
        return try TrustProcess(starter)
    }

    /// Starts a spare process.
    ///
    /// That takes a place too, so that the spare one never makes more than the maximum.
    private func prepareSpare() {
        let isNeeded = monitor.locked {
            guard spare == nil, !isPreparing, working < ProcessStarter.mostVerifiers else { return false }
            (isPreparing, working) = (true, working + 1)
            return true
        }
        guard isNeeded else { return }
        // Without a spare process the next question starts its own, and reports what is wrong.
        let process = try? TrustProcess(starter)
        monitor.locked { (spare, isPreparing) = (process, false) }
        givePlaceBack()
    }

    // MARK: How many at one time

    /// Takes a place for a question.
    ///
    /// - Returns: the spare process, which is taken together with the place. Taken one after the other, both would
    ///   count for a moment.
    private func takePlace(for subject: Subject) throws(KeychainError) -> TrustProcess? {
        let (isFree, process) = monitor.locked { () -> (Bool, TrustProcess?) in
            var left = patience
            while working >= subject.most, left > 0 {
                let start = MonotonicClock.coarseMilliseconds
                monitor.wait(milliseconds: left)
                left -= Int(MonotonicClock.coarseMilliseconds - start)
            }
            guard working < subject.most else { return (false, nil) }
            working += 1
            defer { spare = nil }
            return (true, spare)
        }
        guard isFree else { throw KeychainError(.notAvailable, "too many \(subject.name) are looked at") }
        return process
    }

    private func givePlaceBack() {
        monitor.locked { working -= 1 }
        // Waiting threads wait for different numbers.
        monitor.broadcast()
    }
}
