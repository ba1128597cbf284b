import CChatelaine
import ChatelaineIPC
import ChatelaineSystem
import Glibc
import ServerIPC
import SystemCalls

/// The daemon's side of systemd's protocols: sockets, readiness and signs of life.
///
/// These are the protocols of sd_listen_fds(3) and sd_notify(3). Both are documented to be stable, and are small enough
/// to speak without libsystemd.
struct ServiceManager: Sendable {
    private static let firstDescriptor: Int32 = 3
    /// Seconds that a message may wait for the service manager to read the earlier ones, of which the kernel keeps ten.
    ///
    /// systemd reads at once. One that does not may end the daemon, but must not keep it from ending.
    private static let patience = 5
    private let notifySocket: String?
    /// The time between two signs of life, in microseconds: half of what systemd waits for.
    private let watchdogInterval: UInt64?

    /// Takes the variables out of the environment, so that no child process answers in securityd's name.
    init() {
        notifySocket = Self.take("NOTIFY_SOCKET")
        let isForUs = Self.take("WATCHDOG_PID").map { Int32($0) == getpid() } ?? true
        let patience = Self.take("WATCHDOG_USEC").flatMap { UInt64($0) }
        watchdogInterval = patience.flatMap { isForUs && $0 > 1 ? $0 / 2 : nil }
    }

    /// The one socket that systemd listens on for this process, or nil.
    ///
    /// The caller closes it.
    static func takeListener() -> Int32? {
        let pid = take("LISTEN_PID")
        let count = take("LISTEN_FDS")
        _ = take("LISTEN_FDNAMES")
        guard let pid, Int32(pid) == getpid(), let count, Int(count) == 1 else { return nil }
        _ = fcntl(firstDescriptor, F_SETFD, FD_CLOEXEC)
        return firstDescriptor
    }

    /// Whether systemd listens in the abstract namespace, as it may in a container.
    var isNotifiedAbstractly: Bool { notifySocket?.hasPrefix("@") ?? false }

    func sendReady() { send("READY=1\nSTATUS=Answering requests\n") }

    func sendStopping() { send("STOPPING=1\n") }

    /// Sends a sign of life each time that `isAlive` says so, from a thread of its own.
    ///
    /// One that is left out, as while a disk stalls, does not end the others.
    func startWatchdog(_ isAlive: @escaping @Sendable () -> Bool) {
        guard let watchdogInterval, notifySocket != nil else { return }
        _ = Worker.start {
            while true {
                if isAlive() { send("WATCHDOG=1\n") }
                var pause = timespec(
                    tv_sec: Int(watchdogInterval / 1_000_000), tv_nsec: Int(watchdogInterval % 1_000_000) * 1000)
                nanosleep(&pause, nil)
            }
        }
    }

    private func send(_ message: String) {
        guard let notifySocket else { return }
        let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        // An initial @ stands for the abstract namespace, as sd_notify(3) says.
        guard chatelaine_unix_connect_notify(socket, notifySocket) == 0 else { return }
        var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var message = message
        message.withUTF8 { _ = Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    private static func take(_ name: String) -> String? {
        // SAFETY: called before there is a second thread.
        let value = getenv(name).map { String(cString: $0) }
        unsetenv(name)
        return value
    }
}
