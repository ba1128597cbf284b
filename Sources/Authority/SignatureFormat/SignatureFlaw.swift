import ChatelaineModel

/// Why a signature does not count; ``SignatureVerifier`` turns it into a verdict.
package struct SignatureFlaw: Error, Equatable {
    package let defect: SignatureDefect
    package let detail: String

    package init(_ defect: SignatureDefect, _ detail: String) {
        self.defect = defect
        self.detail = PrintableText.cut(detail, to: SignatureLimits.maximumDetailBytes)
    }
}

/// Makes text of strangers safe for logs and terminals.
package enum PrintableText {
    /// Replaces characters that a terminal would obey or could not show, and cuts the text to `limit` bytes of UTF-8.
    package static func cut(_ text: String, to limit: Int) -> String {
        var result = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            let shown = isPrintable(scalar) ? scalar : "?"
            count += UTF8.width(shown)
            guard count <= limit else { break }
            result.append(shown)
        }
        return String(result)
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
