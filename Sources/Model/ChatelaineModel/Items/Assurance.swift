/// How sure an identity is; every grant, audit entry and listing shows it.
///
/// They are in order: whoever shares a program's identity gains nothing from a better kernel.
package enum Assurance: String, Sendable, CaseIterable, Comparable {
    /// A credential that only root could set. Nothing here gives it yet.
    case kernel = "kernel"
    /// The executable. Holds against mistakes and honest programs; a determined program of the same user can forge it.
    case file = "file"
    /// An interpreter or another program that runs what it is told: any script of this user.
    case shared = "shared"
    /// As `file`, on a kernel that does not vouch for who sent each message.
    case degraded = "degraded"

    /// How sure it is that somebody is who its file says, where no better is known than `bound` of how that was heard.
    ///
    /// The bound is the channel's: what the kernel vouches for of who sent a message, and where a front names the process
    /// that it asks for, what is established of the front.
    package func bounded(by bound: Assurance) -> Assurance { min(self, bound) }

    package static func < (left: Assurance, right: Assurance) -> Bool { left.rank < right.rank }

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
