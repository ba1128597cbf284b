import CChatelaine
import Glibc

/// The environment of a daemon: what it reads itself, and nothing that could steer a library.
package enum ClosedEnvironment {
    /// Where the folders and programs are (`Deployment`), how much the log says, and what the C library is told about freed memory.
    private static let ours = [
        "HOME", "CHATELAINE_HOME", "CHATELAINE_LIBEXEC", "CHATELAINE_DEBUG", "XDG_DATA_HOME", "XDG_STATE_HOME",
        "XDG_RUNTIME_DIR",
        CHATELAINE_ALLOCATOR_VARIABLE, FreedMemory.marker,
    ]
    /// sd_listen_fds(3), sd_notify(3), sd_watchdog_enabled(3), and where credentials are; read once and taken out again.
    private static let ofServiceManager = [
        "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC",
        "CREDENTIALS_DIRECTORY",
    ]
    /// Where the user sits, and in which language: for the dialogs that a daemon has shown. Taken out again by ``takeSession()``.
    private static let ofSession = [
        "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "LANG", "LC_CTYPE", "LC_MESSAGES",
    ]

    /// Takes every other variable out; false where memory is exhausted. While there is one thread.
    package static func apply() -> Bool {
        let names = (ours + ofServiceManager + ofSession).map { strdup($0) }
        defer { for name in names { free(name) } }
        // SAFETY: the list ends in nil, and its strings live until the call is over.
        var list = names.map { UnsafePointer($0) } + [nil]
        return chatelaine_environment_keep(&list) == 0
    }

    /// The variables of the session as `NAME=value`, which this process then has no longer; while there is one thread.
    package static func takeSession() -> [String] {
        ofSession.compactMap { name in
            guard let value = getenv(name) else { return nil }
            defer { unsetenv(name) }
            return "\(name)=\(String(cString: value))"
        }
    }
}
