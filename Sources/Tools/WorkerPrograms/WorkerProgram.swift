import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import DaemonOptions
import Glibc
import Sandbox
import ChatelaineSystem
import SystemCalls

/// A program that is started with one end of a channel, does what is asked over that, and has nothing else: keyd, trustd, formatd and fetchd.
///
/// What they do before the first byte comes is the same, and stands here; which system calls they keep is each program's own (`Confinement`).
package struct WorkerProgram: Sendable {
    /// Where the channel is.
    package static let channel: Int32 = 3
    private static let usageStatus: Int32 = 2

    private let name: String
    /// Of the protocol that is spoken over the channel.
    private let version: UInt64
    private let options: [DaemonOption]
    private let role: ProcessHardening.Role

    package init(_ name: String, version: UInt64, _ options: [DaemonOption], _ role: ProcessHardening.Role) {
        (self.name, self.version, self.options, self.role) = (name, version, options, role)
    }

    /// Whether the process is to work: then it has the channel and no other descriptor, ends with its parent, and has the limits of its role. Ends a process that
    /// cannot have all of that.
    ///
    /// - Parameter prepare: what has to be made ready before, as what is loaded.
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

    /// False where something was printed instead.
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

    /// All of it or nothing, as far as the kernel has it: what the kernel or a container does not offer is done without, as in all our processes.
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
