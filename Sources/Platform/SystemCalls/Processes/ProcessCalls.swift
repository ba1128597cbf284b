import CChatelaine
import ChatelaineSystem
import Glibc

/// The system calls by which the daemons tell processes apart; faked as ``FileCalls`` are.
package struct ProcessCalls: Sendable {
    package var pidfdOpen: @Sendable (_ pid: Int32) throws(Errno) -> Int32
    /// Whether the process behind a pidfd has ended (a zombie has): poll(2).
    package var hasEnded: @Sendable (_ pidfd: Int32) throws(Errno) -> Bool

    /// The kernel's own.
    package static let system = ProcessCalls(
        pidfdOpen: { pid throws(Errno) in
            let number = chatelaine_pidfd_open(pid)
            guard number >= 0 else { throw .last }
            return number
        },
        hasEnded: { pidfd throws(Errno) in
            var watched = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
            // SAFETY: the call reads and writes the one entry.
            let count = poll(&watched, 1, 0)
            guard count >= 0 else { throw .last }
            return count > 0
        })

    package func pidfd(of pid: Int32) throws(Errno) -> Descriptor {
        Descriptor(try Errno.uninterrupted { () throws(Errno) in try pidfdOpen(pid) })
    }

    package func hasEnded(pidfd: Int32) throws(Errno) -> Bool {
        try Errno.uninterrupted { () throws(Errno) in try hasEnded(pidfd) }
    }
}
