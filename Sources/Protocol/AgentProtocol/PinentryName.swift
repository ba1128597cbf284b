import ChatelaineSystem

/// What the name of a pinentry says, without starting it.
package enum PinentryName {
    /// The system's choice, which gpg-agent also takes where nothing else is configured.
    ///
    /// `gpg-agent.conf` is not read: every program of the user can write it, and could name a pinentry that keeps what
    /// is typed. A user who wants another pinentry changes the system's choice (`update-alternatives --config
    /// pinentry`).
    package static let standard = "/usr/bin/pinentry"

    /// Whether a pinentry of this flavour, as it reports itself, needs a terminal.
    package static func needsTerminal(flavor: String) -> Bool {
        ["curses", "tty"].contains { flavor == $0 || flavor.hasSuffix(":" + $0) }
    }

    /// Whether the program that a path leads to needs a terminal, according to its name.
    package static func needsTerminal(resolving path: String) -> Bool {
        guard let path = try? RealPath.of(path) else { return false }
        return ["/pinentry-curses", "/pinentry-tty"].contains { path.hasSuffix($0) }
    }

    /// Whether a variable, as `NAME=value`, names a display; an empty value names none.
    package static func namesDisplay(_ variable: String) -> Bool {
        ["DISPLAY=", "WAYLAND_DISPLAY="].contains { variable.hasPrefix($0) && variable.utf8.count > $0.utf8.count }
    }
}
