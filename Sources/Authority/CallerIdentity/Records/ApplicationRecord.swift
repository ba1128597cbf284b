import ChatelaineModel

/// One decision about an application, as recorded in the ledger.
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
    /// When the program was first seen, or declared; seconds since 1970.
    package let since: Int64
    /// When the user last accepted a changed digest; seconds since 1970.
    package let accepted: Int64?
    /// Whether the decision was made with the passcode, or before there was one.
    ///
    /// It matters only for a record that ``widensAccess``.
    package var isConfirmed = true

    /// Whether the record admits a program that first use alone would not admit.
    package var widensAccess: Bool { !kind.isPin || accepted != nil }
}
