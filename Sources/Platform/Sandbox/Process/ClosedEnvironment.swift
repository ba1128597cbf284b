import CChatelaine
import Glibc

/// The environment of a daemon: the variables that it reads itself, and none that could steer a library.
package enum ClosedEnvironment {
    /// The daemon's own variables: its folders and programs (`Deployment`), the level of its log, and the C library's
    /// settings for freed memory.
    private static let ours = [
        "HOME", "CHATELAINE_HOME", "CHATELAINE_LIBEXEC", "CHATELAINE_DEBUG", "XDG_DATA_HOME", "XDG_STATE_HOME",
        "XDG_RUNTIME_DIR",
        CHATELAINE_ALLOCATOR_VARIABLE, FreedMemory.marker,
    ]
    /// Variables of the service manager: sd_listen_fds(3), sd_notify(3), sd_watchdog_enabled(3), and the folder of
    /// credentials. They are read once and removed.
    private static let ofServiceManager = [
        "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC",
        "CREDENTIALS_DIRECTORY",
    ]
    /// The display and the language of the user's session, for a daemon's dialogs. ``takeSession()`` removes them.
    private static let ofSession = [
        "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "LANG", "LC_CTYPE", "LC_MESSAGES",
    ]

    /// Removes every other variable; false where memory is exhausted. Call it while there is one thread.
    package static func apply() -> Bool {
        let names = (ours + ofServiceManager + ofSession).map { strdup($0) }
        defer { for name in names { free(name) } }
        // SAFETY: the list ends in nil, and its strings live until the call is over.
        var list = names.map { UnsafePointer($0) } + [nil]
        return chatelaine_environment_keep(&list) == 0
    }

    /// Removes the variables of the session and returns them as `NAME=value`; call it while there is one thread.
    package static func takeSession() -> [String] {
        ofSession.compactMap { name in
            guard let value = getenv(name) else { return nil }
            defer { unsetenv(name) }
            return "\(name)=\(String(cString: value))"
        }
    }
}
