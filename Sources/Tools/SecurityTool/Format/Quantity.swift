/// Writes sizes and times for people.
enum Quantity {
    /// A number with a noun, which is in the plural unless the number is one.
    static func count(_ number: some BinaryInteger, _ noun: String) -> String {
        "\(number) \(noun)" + (number == 1 ? "" : "s")
    }

    /// A size in binary units with one decimal, rounded down.
    static func bytes(_ count: Int64) -> String {
        guard count >= 1024 else { return "\(count) B" }
        let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
        var whole = count / 1024
        var rest = count % 1024
        var unit = 0
        while whole >= 1024, unit < units.count - 1 {
            rest = whole % 1024
            whole /= 1024
            unit += 1
        }
        return "\(whole).\(rest * 10 / 1024) \(units[unit])"
    }

    /// A time in its two largest units.
    static func duration(_ seconds: Int64) -> String {
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
        ]
        let first = parts.firstIndex { $0.0 != 0 } ?? parts.count - 1
        return parts[first..<min(first + 2, parts.count)].map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }
}
