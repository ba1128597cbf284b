import ChatelaineSystem

/// Why an authenticated file could not be read or written.
enum AuthenticatedFileError: Error, Equatable {
    /// A system call failed during an action, such as “reading” a path.
    case io(Errno, _ action: String, _ path: String)
    /// Not a regular file of this user.
    case notOurs
    /// Cut short, altered, too long, or authenticated with another key.
    case damaged
    /// Written by a later version of this program.
    case newer(UInt32)
    /// The content is larger than the file may be.
    case tooLarge
}

extension AuthenticatedFileError: CustomStringConvertible {
    var description: String {
        switch self {
        case .io(let error, let action, let path): "\(action) \(path): \(error)"
        case .notOurs: "it is no file of this user"
        case .damaged: "its code does not fit"
        case .newer(let version): "it has version \(version)"
        case .tooLarge: "it would be larger than it may be"
        }
    }
}
