import CChatelaine
import ChatelaineModel
import Glibc

/// Writes to a program's standard error why a call failed, where `CHATELAINE_DEBUG=1` is set (behaviour/errors.md, 15).
///
/// A status cannot say which key of a dictionary is wrong, or that a program is refused since it was rebuilt. Each
/// failed call gives one line: `SecItemAdd: errSecParam (-50): …`. The line holds no secret and no attribute value, is
/// written in one piece, and changes neither status nor errno. A program that runs with privileges from its file writes
/// nothing.
package enum FailureReport {
    /// The longest line: what pipe(7) writes in one piece (PIPE_BUF).
    static let lineBytes = 4096

    /// Whether reports are wanted; read once, with the first failure.
    private static let isWanted = ProcessEnvironment.wantsDebugging

    /// Reports a failed call under the name by which the program called it.
    package static func write(_ call: StaticString, _ error: KeychainError) {
        let saved = errno
        defer { errno = saved }
        guard isWanted else { return }
        var line = line(call, error)
        line.withUTF8 { bytes in
            // SAFETY: the bytes are those of the line, which lives until the call is over.
            bytes.withMemoryRebound(to: CChar.self) { chatelaine_complain($0.baseAddress, $0.count) }
        }
    }

    /// The line with its newline. Characters that act on a terminal or look like a second line become blanks.
    static func line(_ call: StaticString, _ error: KeychainError) -> String {
        let text = "\(call): \(error.status) (\(error.status.rawValue)): \(error.reason)"
        var line = ""
        var room = lineBytes - 1
        for scalar in text.unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            let shown: Unicode.Scalar = isControl || [0x2028, 0x2029].contains(scalar.value) ? " " : scalar
            room -= shown.utf8.count
            guard room >= 0 else { break }
            line.unicodeScalars.append(shown)
        }
        return line + "\n"
    }
}
