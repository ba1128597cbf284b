import CChatelaine
import ChatelaineSystem
import Glibc

/// The workers that this process has forked and that have not ended. It must have one thread.
package struct ForkedWorkers {
    /// In process lists, 15 bytes at the most.
    private let name: String
    private let most: Int
    private let calls: ProcessCalls
    private var pids: Set<pid_t> = []

    package init(_ name: String, most: Int, calls: ProcessCalls = .system) {
        (self.name, self.most, self.calls) = (name, most, calls)
    }

    /// Forks one, which does `work` on its channel, ends, and ends with this process; nil where there are enough, or the system has no process left.
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

    /// Of its own processes only. Each is there until it was waited for here.
    package mutating func end(_ pid: UInt32) {
        if pids.remove(pid_t(bitPattern: pid)) != nil { calls.end(pid_t(bitPattern: pid)) }
    }

    package mutating func endAll() { for pid in pids { calls.end(pid) } }
}
