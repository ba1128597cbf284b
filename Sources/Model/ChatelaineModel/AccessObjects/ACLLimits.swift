/// Limits of access objects. An object that exceeds one is refused, never cut.
package enum ACLLimits {
    /// Entries without the owner's: Apple makes four, and programs a few more.
    package static let entries = 128
    /// Applications of an entry: ten thousand have to work.
    package static let applications = 16 * 1024
    /// Rights of an entry: the known ones, and as many of later versions.
    package static let authorizations = 64
    /// Bytes of an encoded object: ten thousand programs with long paths, and a quarter of the size of a request.
    package static let bytes = 4 * 1024 * 1024
    /// Bytes of a description, of which a dialog shows a line or two.
    package static let descriptionBytes = 4096
    /// Bytes of a path: `PATH_MAX`.
    static let pathBytes = 4096
    /// Bytes of an application's identifier: a path with its scheme, which is longer than a team's identifier for a
    /// program.
    static let identifierBytes = pathBytes + 16
    /// Bytes of an application's external form: its identifier, its path, and the encoding around them.
    static let externalBytes = identifierBytes + pathBytes + 64
    /// Identifiers of a partition list: an item has a few, each for a team or a program.
    package static let partitions = 256
    /// Bytes of a partition identifier: the longest of ours is the digest of a program, 71.
    static let partitionBytes = 255
    /// Bytes of an integrity entry: SHA-512.
    static let integrityBytes = 64
    /// Bytes of an entry whose content this project does not interpret.
    static let customBytes = 16 * 1024
}
