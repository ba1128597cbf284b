/// Bounds of access objects. What is beyond them is refused and never cut.
package enum ACLLimits {
    /// Entries besides the owner's: Apple makes four, and programs a few more.
    package static let entries = 128
    /// Applications of an entry: ten thousand have to work.
    package static let applications = 16 * 1024
    /// Rights of an entry: those that there are, and as many of later versions.
    package static let authorizations = 64
    /// Bytes of an encoded object: ten thousand programs with long paths, and a quarter of what a request holds.
    package static let bytes = 4 * 1024 * 1024
    /// Bytes of a description, which a dialog shows a line or two of.
    package static let descriptionBytes = 4096
    /// Bytes of a path: `PATH_MAX`.
    package static let pathBytes = 4096
    /// Bytes of an application's identifier: a path with its scheme, which is longer than a team's name for a program.
    package static let identifierBytes = pathBytes + 16
    /// Bytes of an application's external form: its identifier, its path, and what stands between them.
    package static let externalBytes = identifierBytes + pathBytes + 64
    /// Identifiers of a partition list: a team or program each, of which an item has a few.
    package static let partitions = 256
    /// Bytes of one of them: the longest of ours is the digest of a program, 71.
    package static let partitionBytes = 255
    /// Bytes of an integrity entry: SHA-512.
    package static let integrityBytes = 64
    /// Bytes of an entry that only somebody else understands.
    package static let customBytes = 16 * 1024
}
