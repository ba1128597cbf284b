import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import SystemCalls

/// Programs that were turned away: told in the log at once, and in the report as long as they are
/// (behaviour/errors.md, 19).
///
/// A program sees a status that says little, and whoever rebuilt it has to learn of `security app accept` somewhere.
final class Refusals: Sendable {
    /// Changed programs that are remembered.
    static let rememberedPrograms = 64
    /// Of these, how many a report names; it has room for few facts.
    static let reportedPrograms = 16

    private struct State {
        var total = 0
        /// How often each changed program was turned away, by user and path.
        var changed: [(user: UInt32, path: CanonicalPath, count: Int)] = []
    }

    private let state = AdaptiveMutex(State())
    private let throttle = LogThrottle()
    private let log: Log

    init(log: Log) { self.log = log }

    /// Tells of a call that failed: always where the program itself is turned away, otherwise to who debugs.
    ///
    /// - Parameters:
    ///   - request: its name.
    ///   - caller: who asked; nil where that could not be known.
    func note(_ error: KeychainError, of request: String, from slot: ConnectionSlot, caller: Caller?) {
        let path = caller?.identity.executablePath
        // Of a program with privileges of its file the kernel says two: who started it is whom it asks for.
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

    /// Tells of a connection that was ended by this side.
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

    /// Forgets changed programs at a path or below it: they were accepted, declared or forgotten, or are what they were.
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
