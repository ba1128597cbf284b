import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Crypto
import EnclaveProtocol
import Glibc
import SystemCalls

/// The fingers enrolled with fprintd, as securityd-match reports them over a channel
/// (`Documentation/formats/enclave-protocol.md`).
///
/// A message that breaks the protocol ends the channel for good. Once the channel has ended, there is no reader.
// `@unchecked Sendable`: `sending` is used only under the lock of `state`, and `receiving` by the reading thread alone.
package final class FingerprintReader: BiometrySource, @unchecked Sendable {
    /// The milliseconds to wait for securityd-match, which answers before.
    private static let patience = Int(MatcherWire.patienceMilliseconds) + 1000
    /// The milliseconds between two checks whether a match is still awaited.
    private static let pause = 100

    private let state = Monitor(State())
    private let sending: FrameChannel
    private let receiving: FrameChannel
    private let warn: @Sendable (String) -> Void

    private struct State {
        var isOpen = true
        var lastID: UInt64 = 0
        /// The awaited reports by id; nil until they arrive.
        var awaited: [UInt64: MatcherReport?] = [:]
    }

    /// Takes ownership of `channel`; nil if no thread can be started to read from it.
    package init?(channel: Int32, warn: @escaping @Sendable (String) -> Void) {
        let second = fcntl(channel, F_DUPFD_CLOEXEC, 3)
        guard second >= 0 else { return nil }
        sending = FrameChannel(descriptor: channel)
        // A peer that does not read its orders is not waited for.
        sending.setPatience(seconds: 2)
        receiving = FrameChannel(descriptor: second)
        self.warn = warn
        guard Worker.start({ [self] in read() }) else { return nil }
    }

    package func enrolment() -> BiometryEnrolment {
        let deadline = MonotonicClock.milliseconds + Int64(Self.patience)
        let report = ask(.look, while: { MonotonicClock.milliseconds < deadline }, pausing: Self.patience)
        guard let report, report.kind == .enrolment, let enrolment = report.enrolment else { return .noReader }
        return Self.set(of: enrolment).map { .set($0) } ?? .nothing
    }

    package func match(while isAwaited: () -> Bool) -> BiometryMatch {
        let report = ask(.match, while: isAwaited, pausing: Self.pause)
        switch report?.kind {
        case .matched: return report?.enrolment.flatMap { Self.set(of: $0) }.map { .matched($0) } ?? .unavailable
        case .notMatched: return .notMatched
        case .enrolment, .failed: return .unavailable
        case nil: return state.withLock { $0.isOpen } ? .withdrawn : .unavailable
        }
    }

    /// A digest of the names of the reader and the fingers, which is all that fprintd reveals; nil if no finger is
    /// enrolled.
    static func set(of enrolment: FingerEnrolment) -> Bytes16? {
        guard !enrolment.fingers.isEmpty else { return nil }
        var hash = SHA256()
        for text in ["chatelaine enrolled fingers", enrolment.device] + enrolment.fingers {
            // Hashed with their lengths, so that no two sets give the same input.
            withUnsafeBytes(of: UInt64(text.utf8.count).littleEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: Array(text.utf8))
        }
        return hash.finalize().withUnsafeBytes { Bytes16(UnsafeRawBufferPointer(rebasing: $0.prefix(Bytes16.count))) }
    }

    /// Sends an order and waits for its report; nil if the caller no longer waits, or the channel has ended.
    private func ask(
        _ kind: MatcherOrder.Kind, while isAwaited: () -> Bool, pausing milliseconds: Int
    ) -> MatcherReport? {
        let id: UInt64? = state.withLock { state in
            guard state.isOpen else { return nil }
            state.lastID += 1
            state.awaited[state.lastID] = .some(nil)
            return state.lastID
        }
        guard let id, send(MatcherOrder(kind, id)) else { return nil }
        while true {
            var hasWaited = false
            let (report, isOver) = state.wait { state -> Awaited<(MatcherReport?, Bool)> in
                guard !state.isOpen || hasWaited || state.awaited[id] != .some(nil) else {
                    hasWaited = true
                    return .nothing(milliseconds: milliseconds)
                }
                return .answer((state.awaited[id] ?? nil, !state.isOpen))
            }
            if report == nil, !isOver, isAwaited() { continue }
            state.withLock { $0.awaited[id] = nil }
            if report == nil, !isOver { _ = send(MatcherOrder(.stop, id)) }
            return report
        }
    }

    private func send(_ order: MatcherOrder) -> Bool {
        state.withLock { state in
            guard state.isOpen else { return false }
            do { try sending.send { order.encode(to: &$0) } } catch { state.isOpen = false }
            return state.isOpen
        }
    }

    /// Reads reports on its own thread until the channel ends.
    private func read() {
        do {
            while true {
                let report = try receiving.withFrame(limit: MatcherWire.maximumFrameBytes) { frame, descriptors in
                    guard descriptors.count == 0 else { throw FrameError.unexpected }
                    return try MatcherReport(frame: frame)
                }
                state.withLock { state in
                    // A report that nobody awaits is dropped.
                    if state.awaited[report.id] == .some(nil) { state.awaited[report.id] = report }
                }
                state.broadcast()
            }
        } catch FrameError.closed {
            warn("securityd-match has ended: there is no fingerprint reader any more")
        } catch {
            warn("securityd-match sent no message of its own: there is no fingerprint reader any more (\(error))")
        }
        state.withLock { state in
            state.isOpen = false
            shutdown(sending.socket, Int32(SHUT_RDWR))
        }
        state.broadcast()
    }
}
