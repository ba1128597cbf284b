import CChatelaine
import ChatelaineSystem
import Glibc

/// The system calls by which the daemons identify, start and end processes; tests replace them as those of
/// ``FileCalls``.
package struct ProcessCalls: Sendable {
    package var pidfdOpen: @Sendable (_ pid: Int32) throws(Errno) -> Int32
    /// Whether the process behind a pidfd has ended, be it a zombie still: poll(2).
    package var hasEnded: @Sendable (_ pidfd: Int32) throws(Errno) -> Bool
    /// Forks a helper of this process, which must have one thread.
    ///
    /// Returns the helper's pid, or 0 in the helper, and an end of the channel between the two. The helper keeps
    /// `shared` as its descriptor 4, unless it is -1.
    package var fork: @Sendable (_ shared: Int32) throws(Errno) -> (pid: Int32, channel: Int32)
    /// Starts a program with `channels` as its descriptors from 3 on, and returns its pid.
    ///
    /// No channel may have the number of an earlier channel's place.
    package var spawn:
        @Sendable (
            _ program: String, _ words: [String], _ environment: [String], _ channels: [Int32]
        ) throws(Errno) -> Int32
    package var kill: @Sendable (_ pid: Int32, _ signal: Int32) throws(Errno) -> Void
    /// Calls waitpid(2), for any child where `pid` is -1; returns 0 where none has ended and `waits` is false.
    package var waitpid: @Sendable (_ pid: Int32, _ waits: Bool) throws(Errno) -> Int32

    /// The kernel's calls.
    package static let system = ProcessCalls(
        pidfdOpen: { pid throws(Errno) in try checked(chatelaine_pidfd_open(pid)) },
        hasEnded: { pidfd throws(Errno) in
            var watched = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
            // SAFETY: the call reads and writes the one entry.
            let count = poll(&watched, 1, 0)
            return try checked(count) > 0
        },
        fork: { shared throws(Errno) in
            var channel: Int32 = -1
            let pid = try checked(chatelaine_helper_fork(shared, &channel))
            return (pid, channel)
        },
        spawn: { program, words, environment, channels throws(Errno) in
            var arguments = words.map { (word: String) in strdup(word) } + [nil]
            var settings = environment.map { (variable: String) in strdup(variable) } + [nil]
            defer { for string in arguments + settings { free(string) } }
            // SAFETY: both arrays hold C strings that live until the call is over, and end in nil.
            return try checked(
                chatelaine_spawn_with_channels(program, &arguments, &settings, channels, Int32(channels.count)))
        },
        kill: { pid, signal throws(Errno) in _ = try checked(Glibc.kill(pid, signal)) },
        waitpid: { pid, waits throws(Errno) in try checked(Glibc.waitpid(pid, nil, waits ? 0 : WNOHANG)) })

    private static func checked(_ result: Int32) throws(Errno) -> Int32 {
        guard result >= 0 else { throw .last }
        return result
    }

    package func pidfd(of pid: Int32) throws(Errno) -> Descriptor {
        Descriptor(try Errno.uninterrupted { () throws(Errno) in try pidfdOpen(pid) })
    }

    package func hasEnded(pidfd: Int32) throws(Errno) -> Bool {
        try Errno.uninterrupted { () throws(Errno) in try hasEnded(pidfd) }
    }

    /// Kills a child and waits until it has ended; a process that is no longer a child has ended already.
    package func end(_ child: Int32) {
        try? kill(child, SIGKILL)
        _ = try? Errno.uninterrupted { () throws(Errno) in try waitpid(child, true) }
    }
}
