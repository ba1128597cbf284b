import ChatelaineModel

/// One decision about an application, as it stands in the ledger.
package struct ApplicationRecord: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// The program at this path is the one with this digest.
        case pinned(ExecutableDigest)
        /// Every program in this folder, and below it, is in development.
        case developmentFolder
        /// This program is in development.
        case developmentProgram
    }

    package let path: CanonicalPath
    package let kind: Kind
    /// When it was first seen, or declared; seconds since 1970.
    package let since: Int64
    /// When the user last accepted a changed digest; seconds since 1970.
    package let accepted: Int64?
    /// Whether it was decided while the passcode was given, or before there was one. Only of a record that ``widensAccess`` this is anything.
    package var isConfirmed = true

    /// Whether it lets in what first use would not.
    package var widensAccess: Bool { !kind.isPin || accepted != nil }
}
