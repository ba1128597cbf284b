import Glibc

/// A child made by fork(2), with the memory of this process and one thread.
package enum ForkedChild {
    /// The seconds after which a child that hangs is ended.
    private static let patience: UInt32 = 30

    /// Runs `body` in a child, and returns its result; false where the child hangs or ends otherwise.
    ///
    /// Call it in a process of its own (`processExitsWith`), since only one thread goes on in the child.
    package static func run(_ body: () -> Bool) -> Bool {
        let pid = fork()
        if pid == 0 {
            alarm(patience)
            _exit(body() ? 0 : 1)
        }
        var status: Int32 = -1
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status == 0
    }

    /// Makes a child that does nothing for a while; returns its pid, or -1.
    package static func pausing() -> pid_t {
        let pid = fork()
        if pid == 0 {
            alarm(patience)
            while true { pause() }
        }
        return pid
    }

    private static func fork() -> pid_t {
        // Swift hides fork(2), for good reason.
        typealias Fork = @convention(c) () -> Int32
        guard let symbol = dlsym(nil, "fork") else { return -1 }
        return unsafeBitCast(symbol, to: Fork.self)()
    }
}
