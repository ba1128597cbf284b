import Glibc

/// Lines for the log on standard error, which securityd or the service manager collects. Never a secret.
enum Log {
    static func write(_ text: String) {
        var line = "enclaved: \(text)\n"
        line.withUTF8 { bytes in
            // SAFETY: the call reads the bytes it is given. A log that cannot be written stops nothing.
            _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }
}
