import Glibc

/// A date and time for people, in universal time, since the agent can read no file with the time zone.
enum UniversalTime {
    /// The last second whose year fits into a dialog.
    private static let last: Int64 = 253_402_300_799

    static func text(_ seconds: Int64) -> String {
        var (time, parts) = (time_t(seconds), tm())
        guard (0...last).contains(seconds), gmtime_r(&time, &parts) != nil else { return "at an unknown time" }
        func digits(_ number: Int32, _ count: Int = 2) -> String {
            let text = "\(number)"
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let day = "\(digits(parts.tm_year + 1900, 4))-\(digits(parts.tm_mon + 1))-\(digits(parts.tm_mday))"
        return "\(day) \(digits(parts.tm_hour)):\(digits(parts.tm_min)) UTC"
    }
}
