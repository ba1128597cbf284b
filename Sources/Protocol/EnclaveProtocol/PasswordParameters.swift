/// What a guess at a password costs, as parameters of Argon2id; they are stored beside what the password protects.
package struct PasswordParameters: Hashable, Sendable {
    /// In KiB.
    package var memory: UInt32
    package var passes: UInt32
    package var lanes: UInt32

    package init(memory: UInt32, passes: UInt32, lanes: UInt32 = 1) {
        self.memory = memory
        self.passes = passes
        self.lanes = lanes
    }

    /// The minimum of OWASP's Password Storage Cheat Sheet: 19 MiB, two passes, one lane.
    package static let least = PasswordParameters(memory: 19 * 1024, passes: 2)
    /// The most that a file made by a stranger can demand.
    ///
    /// The memory is what one attempt may take beside all other work of a small machine, which makes one attempt at a
    /// time. The passes then take a few seconds.
    package static let most = PasswordParameters(memory: 256 * 1024, passes: 16, lanes: 4)

    /// Whether a file may demand these parameters: neither cheaper to guess than our minimum nor more than a process
    /// may take.
    package var isAcceptable: Bool {
        (Self.least.memory...Self.most.memory).contains(memory)
            && (Self.least.passes...Self.most.passes).contains(passes)
            && (Self.least.lanes...Self.most.lanes).contains(lanes)
    }

    /// Memory times passes; the time of a guess is proportional to it.
    package var cost: UInt64 { UInt64(memory) * UInt64(passes) }
}
