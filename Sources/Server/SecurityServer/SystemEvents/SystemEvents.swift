import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc
import Sandbox
import Synchronization
import SystemCalls

/// The helper that hears events of the system, and securityd's end of the channel to it.
///
/// It reports one event at a time (``SystemEvent``), and goes on when securityd answers that the keys are gone.
/// Whatever the bus sends it, it can only make securityd lock.
final class SystemEvents: Sendable {
    private let channel: HelperChannel
    private let whenLost: AdaptiveMutex<@Sendable () -> Void> = AdaptiveMutex({})
    private let hearingNumber = Atomic<Int32>(SystemHearing.noBus.rawValue)
    /// Whether the sandbox of the helper is complete.
    let isConfined: Bool

    /// Forks the helper.
    ///
    /// Call it while there is one thread.
    init(calls: ProcessCalls = .system) throws(KeychainError) {
        let (pid, number): (Int32, Int32)
        do throws(Errno) { (pid, number) = try calls.fork(-1) } catch {
            throw KeychainError(system: error.code, "a process that hears the system")
        }
        if pid == 0 { Self.serve(HelperChannel(Descriptor(number))) }
        let channel = HelperChannel(Descriptor(number))
        guard let (isConfined, _) = channel.receive() else {
            throw KeychainError(.notAvailable, "securityd-hear, a part of securityd, ended at its start")
        }
        self.isConfined = isConfined == 1
        self.channel = channel
    }

    /// Sets `body` to run when the helper is gone.
    func watch(_ body: @escaping @Sendable () -> Void) { whenLost.withLock { $0 = body } }

    var hearing: SystemHearing { SystemHearing(rawValue: hearingNumber.load(ordering: .relaxed)) ?? .noBus }

    /// Has idle sessions lock the keychains after so many seconds; 0 for never.
    func setIdleTimeout(seconds: Int32) { _ = channel.send(max(0, seconds)) }

    /// Runs `lock` for each event, on a thread of its own; false where none can be had.
    func start(_ lock: @escaping @Sendable (SystemEvent) -> Void) -> Bool {
        Worker.start { [self] in
            while let (number, descriptors) = channel.receive() {
                for number in descriptors { close(number) }
                if SystemHearing(rawValue: number) != nil { hearingNumber.store(number, ordering: .relaxed) }
                guard let event = SystemEvent(rawValue: number) else { continue }
                lock(event)
                guard channel.send(SystemEventAnswer.done) == .done else { break }
            }
            whenLost.withLock { $0 }()
        }
    }

    // MARK: In the helper

    private static func serve(_ channel: consuming HelperChannel) -> Never {
        let isHardened = Helper.harden("securityd-hear", .busListener)
        // The library has to load before the sandbox forbids it.
        let watch = LogindWatch(user: geteuid(), hasLibrary: SystemBus.load())
        guard Helper.shutIn(channel, isHardened, .busListener()) else { _exit(0) }
        var told = SystemHearing.noBus
        var asked: SystemEvent?
        while true {
            watch.work(now: now)
            let hearing = watch.hearing
            if hearing != told {
                guard channel.send(hearing.rawValue) == .done else { _exit(0) }
                told = hearing
            }
            if asked == nil, let event = watch.takeEvent() {
                guard channel.send(event.rawValue) == .done else { _exit(0) }
                asked = event
            }
            guard watch.wait(or: channel.descriptor, now: now) else { continue }
            guard let (number, descriptors) = channel.receive() else { _exit(0) }
            for number in descriptors { close(number) }
            if number >= 0 {
                watch.idleTimeout = Int64(number)
            } else if number == SystemEventAnswer.done {
                if asked == .sleep { watch.letSleep() }
                asked = nil
            }
        }
    }

    /// The clock is CLOCK_MONOTONIC, since logind takes it for idle times.
    private static var now: Int64 { MonotonicClock.milliseconds }
}
