/// How certain a program's identity is; every grant, audit entry and listing shows it.
///
/// The levels are ordered. A better kernel does not raise a program that shares its identity with others.
package enum Assurance: String, Sendable, CaseIterable, Comparable {
    /// The kernel vouches for a credential that only root could set. Nothing sets this level yet.
    case kernel = "kernel"
    /// The executable identifies the program.
    ///
    /// This holds against mistakes and honest programs; a determined program of the same user can forge it.
    case file = "file"
    /// The program is an interpreter or runs what it is told, so that any script of this user has its identity.
    case shared = "shared"
    /// Like `file`, on a kernel that does not vouch for the sender of each message.
    case degraded = "degraded"

    /// The lower of this assurance and that of the channel.
    ///
    /// The bound is what the kernel vouches for about the sender of a message. If a front names the process for which
    /// it asks, the bound is what is established about the front.
    package func bounded(by bound: Assurance) -> Assurance { min(self, bound) }

    package static func < (left: Assurance, right: Assurance) -> Bool { left.rank < right.rank }

    /// The number in a question to the agent (`agent-protocol.md`), which never changes.
    package var number: UInt8 {
        switch self {
        case .kernel: 1
        case .file: 2
        case .shared: 3
        case .degraded: 4
        }
    }

    package init?(number: UInt8) {
        guard let assurance = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = assurance
    }

    private var rank: Int {
        switch self {
        case .shared: 0
        case .degraded: 1
        case .file: 2
        case .kernel: 3
        }
    }
}

extension Assurance: CBORValue {
    package func encode(to writer: inout CBORWriter) { writer.write(rawValue) }

    package init(from reader: inout CBORReader) throws(CBORError) {
        guard let value = Self(rawValue: try reader.readText()) else { throw .outOfRange }
        self = value
    }
}
