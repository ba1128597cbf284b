import Foundation
import Testing

/// What only root can set up: households of other users, mounts.
enum Privilege {
    /// A user id that nobody has, another one for each test, so that limits per user are a test's own.
    static func user(_ number: uid_t) -> uid_t { 24_000 + number }

    /// False, and said aloud, where the tests do not run as root; a failure where they must not be left out.
    static func isThere(for test: String = #function) -> Bool {
        if geteuid() == 0 { return true }
        print("SKIPPED (needs root): \(test)")
        if ProcessInfo.processInfo.environment["CI"] == "true" {
            Issue.record("\(test) needs root, and CI leaves no test out")
        }
        return false
    }
}
