import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import SystemCalls

/// Records refused programs: in the log at once, and in the report as long as they are refused
/// (behaviour/errors.md, 19).
///
/// A program sees only a status. A person who rebuilt the program has to learn of `security app accept` somewhere.
final class Refusals: Sendable {
    /// The number of changed programs that are remembered.
    static let rememberedPrograms = 64
    /// The number of them that a report names, since it has room for few facts.
    static let reportedPrograms = 16

    private struct State {
        var total = 0
        /// How often each changed program was refused, by user and path.
        var changed: [(user: UInt32, path: CanonicalPath, count: Int)] = []
    }

    private let state = AdaptiveMutex(State())
    private let throttle = LogThrottle()
    private let log: Log

    init(log: Log) { self.log = log }

    /// Logs a failed call: always where the program itself is refused, otherwise only for debugging.
    ///
    /// - Parameters:
    ///   - request: the name of the request.
    ///   - caller: the caller; nil where it could not be identified.
    func note(_ error: KeychainError, of request: String, from slot: ConnectionSlot, caller: Caller?) {
        let path = caller?.identity.executablePath
        // A set-user-ID program has two users. It acts for the user who started it.
        let user = caller?.principal.user ?? slot.uid
        let isChanged = error.cause == .changedProgram
        guard isChanged || error.cause == .notEntitled else {
            return log.debug(
                "\(request) failed: \(error.reason)",
                [
                    "status": "\(error.status)", "pid": "\(slot.pid)", "uid": "\(user)",
                    "path": path?.text ?? "unknown",
                ])
        }
        state.withLock { state in
            state.total += 1
            guard isChanged, let path else { return }
            if let index = state.changed.firstIndex(where: { $0.user == user && $0.path == path }) {
                state.changed[index].count += 1
            } else if state.changed.count < Self.rememberedPrograms {
                state.changed.append((user, path, 1))
            }
        }
        remark(
            "a program was refused: \(error.reason)", about: path?.text ?? error.reason, slot.pid, user,
            path: path?.text,
            error)
    }

    /// Logs a connection that the daemon ended.
    func noteEnd(of slot: ConnectionSlot, because error: any Error) {
        let (pid, user) = (slot.pid, slot.uid)
        guard let unidentified = error as? Unidentified else {
            guard let leftOut = throttle.admit("\(user) \(error)") else { return }
            return log.warning(
                "a connection was ended\(Self.more(leftOut))",
                ["pid": "\(pid)", "uid": "\(user)", "reason": "\(error)"])
        }
        state.withLock { $0.total += 1 }
        remark(
            "a program was refused: \(unidentified.text)", about: unidentified.text, pid, user, path: nil,
            unidentified.error)
    }

    private func remark(
        _ message: String, about thing: String, _ pid: Int32, _ user: UInt32, path: String?, _ error: KeychainError
    ) {
        guard let leftOut = throttle.admit("\(user) \(error.status) \(thing)") else { return }
        log.warning(
            message + Self.more(leftOut),
            ["status": "\(error.status)", "pid": "\(pid)", "uid": "\(user)", "path": path ?? "unknown"])
    }

    private static func more(_ leftOut: Int) -> String {
        leftOut > 0 ? " (and \(leftOut) like it since the last line)" : ""
    }

    /// Forgets the changed programs at a path or below it, since they were accepted, declared or forgotten, or are
    /// unchanged again.
    func settle(_ path: CanonicalPath, of user: UInt32) {
        state.withLock { state in
            guard !state.changed.isEmpty else { return }
            state.changed.removeAll { $0.user == user && path.holds($0.path) }
        }
    }

    func add(to report: inout DaemonReport) {
        let (total, changed) = state.withLock { ($0.total, $0.changed) }
        guard total > 0 else { return }
        report.add("refused.calls", total)
        for (index, program) in changed.prefix(Self.reportedPrograms).enumerated() {
            report.add("refused.changed.\(index + 1)", program.path.text)
        }
        if changed.count > Self.reportedPrograms {
            report.add("refused.others", changed.count - Self.reportedPrograms)
        }
    }
}
