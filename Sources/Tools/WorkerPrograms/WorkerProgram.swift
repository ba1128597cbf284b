import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import DaemonOptions
import Glibc
import Sandbox
import SystemCalls

/// A worker: a program that serves requests over one end of a channel and has no other access (keyd, trustd, formatd
/// and fetchd).
///
/// This has the steps before the first request, which all workers share. Each program chooses its own system calls
/// (`Confinement`).
package struct WorkerProgram: Sendable {
    /// The descriptor of the channel.
    package static let channel: Int32 = 3
    private static let usageStatus: Int32 = 2

    let name: String
    /// The version of the protocol on the channel.
    private let version: UInt64
    private let options: [DaemonOption]
    private let role: ProcessHardening.Role

    package init(_ name: String, version: UInt64, _ options: [DaemonOption], _ role: ProcessHardening.Role) {
        (self.name, self.version, self.options, self.role) = (name, version, options, role)
    }

    /// Prepares the process for its work; returns false if it has nothing to do.
    ///
    /// Afterwards the process has the channel and no other descriptor, ends with its parent, and has the limits of its
    /// role. A process that cannot have all of this ends here.
    ///
    /// - Parameter prepare: the work before the limits apply, such as loading libraries.
    package func begin(_ prepare: () throws(KeychainError) -> Void = {}) -> Bool {
        do throws(KeychainError) {
            guard try isToWork(CommandLine.arguments.dropFirst()) else { return false }
            _ = ClosedEnvironment.apply()
            try prepare()
            try harden()
            return true
        } catch {
            Log(program: name).error(error.reason)
            exit(error.status == .param ? Self.usageStatus : 1)
        }
    }

    /// Whether the process is to work; false if it printed something instead.
    private func isToWork(_ words: some Sequence<String>) throws(KeychainError) -> Bool {
        for word in words {
            switch word {
            case DaemonOption.version.name: print("\(name) (Chatelaine), protocol \(version)")
            case DaemonOption.help.name: print(DaemonOption.usage(of: name, options), terminator: "")
            default: throw KeychainError(.param, "an argument is not understood; see \(name) --help")
            }
            return false
        }
        var status = stat()
        guard fstat(Self.channel, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
            throw KeychainError(.param, "securityd starts \(name) with a channel, and nobody else does")
        }
        return true
    }

    /// Applies every restriction, or throws.
    ///
    /// A restriction that the kernel or a container does not offer is skipped, as in all our processes.
    private func harden() throws(KeychainError) {
        CrashHandlers.remove()
        guard chatelaine_end_with_parent() == 0 else {
            throw KeychainError(system: errno, "asking to end with the parent")
        }
        guard fcntl(Self.channel, F_SETFD, FD_CLOEXEC) >= 0, chatelaine_reserve_standard_descriptors() >= 0 else {
            throw KeychainError(system: errno, "the descriptors of \(name)")
        }
        chatelaine_close_from(Self.channel + 1)
        if let failure = ProcessHardening.apply(role).first { throw KeychainError(.notAvailable, failure) }
    }
}
