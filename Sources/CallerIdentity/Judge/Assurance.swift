/// How sure an identity is; every grant, audit entry and listing shows it.
public enum Assurance: String, Sendable, CaseIterable {
    /// A credential that only root could set. Nothing here gives it yet.
    case kernel
    /// The executable. Holds against mistakes and honest programs; a determined program of the same user can forge it.
    case file
    /// An interpreter or another program that runs what it is told: any script of this user.
    case shared
    /// As `file`, on a kernel that does not vouch for who sent each message.
    case degraded
}
