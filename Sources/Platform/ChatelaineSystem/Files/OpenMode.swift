import Glibc

/// The ways in which files and folders are opened; all are close-on-exec.
package enum OpenMode: Sendable {
    /// To look at what stands there, a symbolic link itself included (`O_PATH`).
    case look
    /// To look at what a link leads to: `/proc/PID/exe` and `/proc/PID/root` are links.
    case lookThrough
    /// To read; a symbolic link is refused, and a pipe or device does not make us wait.
    case read
    /// To read what a link leads to.
    case readThrough
    /// To write a file that must not exist yet, for its owner only.
    case create
    /// To reach what is in a folder; a symbolic link is refused.
    case folder
    /// To reach what is in the folder that a link leads to.
    case folderThrough

    /// For open(2); nil for those that C alone has a name for.
    var flags: Int32? {
        switch self {
        case .look, .lookThrough: nil
        case .read: O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        case .readThrough: O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        case .create: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        case .folder: O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        case .folderThrough: O_RDONLY | O_DIRECTORY | O_CLOEXEC
        }
    }
}
