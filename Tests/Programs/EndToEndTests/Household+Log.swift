import Foundation
import Testing

extension Household {
    /// The lines that the daemon has logged: in the journal where there is one, else in its file.
    func log() throws -> [String] {
        let file = "\(home)/state/securityd.log"
        if let text = try? String(contentsOfFile: file, encoding: .utf8) {
            return text.split(separator: "\n").map { String($0) }
        }
        let pid = try #require(daemonPID)
        return try Program(["journalctl", "--quiet", "--output=cat", "_PID=\(pid)"], environment: variables).rest()
    }
}
