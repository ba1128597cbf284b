/// One decision about an application, as it stands in the ledger.
public struct ApplicationRecord: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// The program at this path is the one with this digest.
        case pinned(ExecutableDigest)
        /// Every program in this folder, and below it, is in development.
        case developmentFolder
        /// This program is in development.
        case developmentProgram
    }

    public let path: CanonicalPath
    public let kind: Kind
    /// When it was first seen, or declared; seconds since 1970.
    public let since: Int64
    /// When the user last accepted a changed digest; seconds since 1970.
    public let accepted: Int64?
}
