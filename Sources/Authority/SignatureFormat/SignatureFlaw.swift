import ChatelaineModel

/// Why a signature does not count, for the one place that makes a verdict of it.
package struct SignatureFlaw: Error, Equatable {
    package let defect: SignatureDefect
    package let detail: String

    package init(_ defect: SignatureDefect, _ detail: String) {
        self.defect = defect
        self.detail = PrintableText.cut(detail, to: SignatureLimits.maximumDetailBytes)
    }
}

/// Text of strangers as it may stand in logs and on terminals.
package enum PrintableText {
    /// Without what a terminal would obey or could not show, and no longer than `limit` bytes of UTF-8.
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
