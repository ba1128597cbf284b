/// Text in a line of Assuan, the protocol of pinentry.
///
/// `%` and the ends of lines are written as `%` and two digits.
enum AssuanText {
    /// The length of a line, including the byte that ends it (Assuan manual, “Client requests”).
    static let longestLine = 1000

    /// The bytes that a scalar takes.
    static func cost(of scalar: Unicode.Scalar) -> Int { isEscaped(scalar) ? 3 : UTF8.width(scalar) }

    static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "%": escaped.append(contentsOf: "%25".unicodeScalars)
            case "\n": escaped.append(contentsOf: "%0A".unicodeScalars)
            case "\r": escaped.append(contentsOf: "%0D".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "%" || scalar == "\n" || scalar == "\r"
    }
}
