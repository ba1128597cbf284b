import Glibc

/// The environment of pinentry: the display and the language, and nothing that could influence a toolkit.
package struct PinentryEnvironment {
    /// The variables as `NAME=value`.
    package let variables: [String]

    /// Adds what pinentry needs to the variables of the session.
    ///
    /// - Parameter session: variables of the display and the language, as this process got them.
    package init(_ session: [String]) {
        var variables = ["PATH=/usr/bin:/bin"] + session
        func add(_ name: String, _ value: String?) {
            guard let value, !variables.contains(where: { $0.hasPrefix(name + "=") }) else { return }
            variables.append("\(name)=\(value)")
        }
        let home = Self.value(of: "HOME")
        // This is the default place of the key. The home itself, which has their settings, is not passed to the
        // programs.
        if variables.contains(where: { $0.hasPrefix("DISPLAY=") }) {
            add("XAUTHORITY", home.map { $0 + "/.Xauthority" })
        }
        // The folder with the sockets of Wayland.
        if variables.contains(where: { $0.hasPrefix("WAYLAND_DISPLAY=") }) {
            add("XDG_RUNTIME_DIR", Self.value(of: "XDG_RUNTIME_DIR"))
        }
        if !variables.contains(where: { $0.hasPrefix("LANG=") }) { add("LC_CTYPE", "C.UTF-8") }
        self.variables = variables
    }

    private static func value(of name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
