import Foundation
import Testing

/// Setups that need root: households of other users, and mounts.
enum Privilege {
    /// An unused user id, different for each test, so that each test has its own limits per user.
    static func user(_ number: uid_t) -> uid_t { 24_000 + number }

    /// Whether the tests run as root.
    ///
    /// Without root, the test says so aloud and ends, or fails if it must not be left out.
    static func isThere(for test: String = #function) -> Bool {
        if geteuid() == 0 { return true }
        print("SKIPPED (needs root): \(test)")
        if ProcessInfo.processInfo.environment["CI"] == "true" {
            Issue.record("\(test) needs root, and CI leaves no test out")
        }
        return false
    }
}
