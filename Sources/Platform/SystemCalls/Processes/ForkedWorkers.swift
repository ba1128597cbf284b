import CChatelaine
import ChatelaineSystem
import Glibc

/// The living workers that this process has forked. The process must have one thread.
package struct ForkedWorkers {
    /// The workers' name in process lists, 15 bytes at the most.
    private let name: String
    private let most: Int
    private let calls: ProcessCalls
    private var pids: Set<pid_t> = []

    package init(_ name: String, most: Int, calls: ProcessCalls = .system) {
        (self.name, self.most, self.calls) = (name, most, calls)
    }

    /// Forks a worker, which does `work` on its channel and ends; it also ends with this process.
    ///
    /// Returns nil where as many workers live as are allowed, or the system has no process left.
    package mutating func start(_ work: (_ channel: Int32) -> Void) -> (pid: UInt32, channel: Int32)? {
        while let pid = try? calls.waitpid(-1, false), pid > 0 { pids.remove(pid) }
        guard pids.count < most else { return nil }
        let starter = getpid()
        do throws(Errno) {
            let (pid, channel) = try calls.fork(-1)
            if pid == 0 {
                chatelaine_set_name(name)
                guard chatelaine_die_with_parent(starter) == 0 else { _exit(1) }
                work(channel)
                _exit(0)
            }
            pids.insert(pid)
            return (UInt32(pid), channel)
        } catch { return nil }
    }

    /// Ends a worker of this process; any other pid is ignored. Until the wait here, the pid cannot belong to another
    /// process.
    package mutating func end(_ pid: UInt32) {
        if pids.remove(pid_t(bitPattern: pid)) != nil { calls.end(pid_t(bitPattern: pid)) }
    }

    package mutating func endAll() { for pid in pids { calls.end(pid) } }
}
