import Glibc

/// The environment of pinentry: where the display is, in which language, and nothing that could steer a toolkit.
package struct PinentryEnvironment {
    /// As `NAME=value`.
    package let variables: [String]

    /// - Parameter session: variables of the display and the language, as this process got them.
    package init(_ session: [String]) {
        var variables = ["PATH=/usr/bin:/bin"] + session
        func add(_ name: String, _ value: String?) {
            guard let value, !variables.contains(where: { $0.hasPrefix(name + "=") }) else { return }
            variables.append("\(name)=\(value)")
        }
        let home = Self.value(of: "HOME")
        // Where programs look that are not told. They are not told the home itself, in which their settings lie.
        if variables.contains(where: { $0.hasPrefix("DISPLAY=") }) {
            add("XAUTHORITY", home.map { $0 + "/.Xauthority" })
        }
        // The sockets of Wayland lie there.
        if variables.contains(where: { $0.hasPrefix("WAYLAND_DISPLAY=") }) {
            add("XDG_RUNTIME_DIR", Self.value(of: "XDG_RUNTIME_DIR"))
        }
        if !variables.contains(where: { $0.hasPrefix("LANG=") }) { add("LC_CTYPE", "C.UTF-8") }
        self.variables = variables
    }

    private static func value(of name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
