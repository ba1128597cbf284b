/// Why an authenticated file could not be read or written.
enum AuthenticatedFileError: Error, Equatable {
    /// A system call failed; `step` says on the way to what.
    case io(Errno, step: String)
    /// Not a regular file of this user.
    case notOurs
    /// Cut short, altered, too long, or authenticated with another key.
    case damaged
    /// Written by a later version of this program.
    case newer(UInt32)
    /// The content is larger than the file may be.
    case tooLarge
}
