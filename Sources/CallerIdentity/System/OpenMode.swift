/// The ways in which this module opens files; all are close-on-exec.
enum OpenMode: Sendable {
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
}
