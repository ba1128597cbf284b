import Glibc

/// The ways in which files and folders are opened; all are close-on-exec.
package enum OpenMode: Sendable {
    /// Opens the file for its status only (`O_PATH`); a symbolic link itself is opened.
    case look
    /// Opens the target of a link for its status only: `/proc/PID/exe` and `/proc/PID/root` are links.
    case lookThrough
    /// Opens a file for reading; a symbolic link is refused, and opening a pipe or device does not block.
    case read
    /// Opens the target of a link for reading.
    case readThrough
    /// Creates a file for writing, for its owner only; the file must not exist.
    case create
    /// Opens the file of a lock, and makes it for its owner only where it is missing; a symbolic link is refused, and
    /// opening a pipe does not block.
    case lock
    /// Opens a folder, to reach files in it; a symbolic link is refused.
    case folder
    /// Opens the folder that a link leads to.
    case folderThrough

    /// The flags for open(2); nil for modes whose flags only C code can name.
    var flags: Int32? {
        switch self {
        case .look, .lookThrough: nil
        case .read: O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        case .readThrough: O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        case .create: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        case .lock: O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        case .folder: O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        case .folderThrough: O_RDONLY | O_DIRECTORY | O_CLOEXEC
        }
    }
}
