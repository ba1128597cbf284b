import Glibc

/// What can be told of a pinentry without starting it.
package enum PinentryName {
    /// The system's choice, as gpg-agent takes it where nothing else is configured.
    ///
    /// `gpg-agent.conf` is not asked. The user writes it, and so does every program of the user's, which could name one that keeps what is
    /// typed. Who wants another one changes the system's choice (`update-alternatives --config pinentry`).
    package static let standard = "/usr/bin/pinentry"

    /// Whether a flavour, as it says itself, shows what it shows in a terminal.
    package static func needsTerminal(flavor: String) -> Bool {
        ["curses", "tty"].contains { flavor == $0 || flavor.hasSuffix(":" + $0) }
    }

    /// The same by the name of the program that a path leads to.
    package static func needsTerminal(resolving path: String) -> Bool {
        guard let resolved = realpath(path, nil) else { return false }
        defer { free(resolved) }
        return ["/pinentry-curses", "/pinentry-tty"].contains { String(cString: resolved).hasSuffix($0) }
    }

    /// Whether a variable, as `NAME=value`, says where a display is.
    package static func namesDisplay(_ variable: String) -> Bool {
        variable.hasPrefix("DISPLAY=") || variable.hasPrefix("WAYLAND_DISPLAY=")
    }
}
