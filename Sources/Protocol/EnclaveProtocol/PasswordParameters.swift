/// What a guess at a password costs, by Argon2id: it is stored beside what the password protects.
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

    /// What OWASP's Password Storage Cheat Sheet calls the least: 19 MiB, two passes, one lane.
    package static let least = PasswordParameters(memory: 19 * 1024, passes: 2)
    /// The memory of one try, beside all other work of a small machine: one try at a time has it. And passes for a few seconds of it: a file
    /// that a stranger has made can ask for no more.
    package static let most = PasswordParameters(memory: 256 * 1024, passes: 16, lanes: 4)

    /// Whether a file may ask for them: neither cheaper to guess than ours nor more than a process should take.
    package var isAcceptable: Bool {
        (Self.least.memory...Self.most.memory).contains(memory)
            && (Self.least.passes...Self.most.passes).contains(passes)
            && (Self.least.lanes...Self.most.lanes).contains(lanes)
    }

    /// Memory times passes, to which the time of a guess is proportional.
    package var cost: UInt64 { UInt64(memory) * UInt64(passes) }
}
