import ChatelaineModel
import Glibc

/// Converts between dates in ISO 8601, in UTC, and seconds since 1 January 2001.
enum DateText {
    private static let epoch = Double(ReferenceDate.secondsSince1970)
    /// Far beyond the year 9999, and small enough for a whole number of milliseconds in 64 bits.
    private static let largestMagnitude = 1e12

    /// A date like `2026-11-21T08:30:00Z`, with milliseconds on demand; nil beyond the years 1 to 9999.
    static func text(_ seconds: Double, milliseconds: Bool = false) -> String? {
        guard seconds.magnitude < largestMagnitude else { return nil }
        // Whole milliseconds first, so that 0.9996 s carries into the seconds.
        let total = Int64(((seconds + epoch) * 1000).rounded(milliseconds ? .toNearestOrEven : .down))
        var time = time_t(total / 1000 - (total % 1000 < 0 ? 1 : 0))
        let rest = ((total % 1000) + 1000) % 1000
        var parts = tm()
        guard gmtime_r(&time, &parts) != nil, (-1899...8099).contains(parts.tm_year) else { return nil }
        let day = "\(digits(parts.tm_year + 1900, 4))-\(digits(parts.tm_mon + 1, 2))-\(digits(parts.tm_mday, 2))"
        let clock = "\(digits(parts.tm_hour, 2)):\(digits(parts.tm_min, 2)):\(digits(parts.tm_sec, 2))"
        return "\(day)T\(clock)" + (milliseconds ? ".\(digits(Int32(rest), 3))" : "") + "Z"
    }

    /// The seconds of `YYYY-MM-DD` or `YYYY-MM-DDThh:mm:ssZ`; nil for any other text, and for days that do not exist.
    static func seconds(_ text: String) -> Double? {
        let shape = Array((text.utf8.count == 10 ? text + "T00:00:00Z" : text).utf8)
        let pattern = Array("0000-00-00T00:00:00Z".utf8)
        guard shape.count == pattern.count else { return nil }
        for (byte, wanted) in zip(shape, pattern) {
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            guard wanted == UInt8(ascii: "0") ? isDigit : byte == wanted else { return nil }
        }
        func number(_ range: Range<Int>) -> Int32 { shape[range].reduce(0) { $0 * 10 + Int32($1 - UInt8(ascii: "0")) } }
        var parts = tm()
        parts.tm_year = number(0..<4) - 1900
        parts.tm_mon = number(5..<7) - 1
        parts.tm_mday = number(8..<10)
        parts.tm_hour = number(11..<13)
        parts.tm_min = number(14..<16)
        parts.tm_sec = number(17..<19)
        let given = parts
        let time = timegm(&parts)
        // timegm turns 31 June into 1 July.
        guard parts.tm_mday == given.tm_mday, parts.tm_mon == given.tm_mon, parts.tm_hour == given.tm_hour,
            parts.tm_min == given.tm_min, parts.tm_sec == given.tm_sec
        else { return nil }
        return Double(time) - epoch
    }

    private static func digits(_ number: Int32, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
