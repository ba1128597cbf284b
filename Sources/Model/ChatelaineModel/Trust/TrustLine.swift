/// A constraint as a line of text before a certificate in root's files (`Documentation/formats/trust-settings.md`):
///
///     Trust: deny policy=1.2.840.113635.100.1.3 name=mail.example.com
package enum TrustLine {
    private static let start = "Trust: "
    private static let results: [(TrustConstraint.Result, String)] = [
        (.trustRoot, "trustRoot"), (.trustAsRoot, "trustAsRoot"), (.deny, "deny"), (.unspecified, "unspecified"),
    ]

    package static func text(of constraint: TrustConstraint) -> String {
        let words = [
            results.first { $0.0 == constraint.result }?.1, constraint.policy.map { "policy=\($0.identifier)" },
            constraint.policyName.map { "name=\($0)" }, constraint.application.map { "application=\($0)" },
            constraint.allowedError.map { "error=\($0)" }, constraint.keyUsage.map { "usage=\($0)" },
        ]
        return start + words.compactMap { $0 }.joined(separator: " ")
    }

    /// Whether a constraint can be written as a line; a blank would end its value.
    package static func canHold(_ constraint: TrustConstraint) -> Bool {
        [constraint.policyName, constraint.application].allSatisfy { text in
            text?.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F } ?? true
        }
    }

    /// The constraints before the certificate of a file; nil if a line is not understood, or if there are several
    /// certificates.
    ///
    /// Other text is a comment, which tools write before a certificate. A malformed line that looks like a constraint
    /// may have been meant to limit or deny something. So may a line after the certificate.
    package static func constraints(in file: [UInt8]) -> [TrustConstraint]? {
        // A DER file has no lines.
        if isDER(file) { return [] }
        var constraints: [TrustConstraint] = []
        var place = Place.before
        // A CR ends a line as well; otherwise it would hide a second line in the first.
        for line in file.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            if place == .inside {
                if line.starts(with: end) { place = .after }
                continue
            }
            if line.starts(with: begin) {
                guard place == .before else { return nil }
                place = .inside
                continue
            }
            guard looksLikeOne(line) else { continue }
            let text = String(decoding: line, as: UTF8.self)
            guard place == .before, text.hasPrefix(start), let constraint = constraint(text.dropFirst(start.count)),
                constraints.count < TrustLimits.maximumConstraints
            else { return nil }
            constraints.append(constraint)
        }
        return constraints
    }

    /// The position of a line relative to the certificate.
    private enum Place {
        case before
        case inside
        case after
    }

    private static let (begin, end) = (Array("-----BEGIN ".utf8), Array("-----END ".utf8))
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Whether a line may have been meant as a constraint, however it is written.
    private static func looksLikeOne(_ line: ArraySlice<UInt8>) -> Bool {
        let text = line.starts(with: mark) ? line.dropFirst(mark.count) : line
        if text.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "#") { return false }
        let letters = String(decoding: text, as: UTF8.self).lowercased().filter { "a"..."z" ~= $0 }
        let says =
            text.contains(UInt8(ascii: ":")) || text.contains(UInt8(ascii: "="))
            || results.contains { letters.contains($0.1.lowercased()) }
        let isNamed = letters.hasPrefix("trust") || letters.hasPrefix("distrust")
        return isNamed && says || letters.contains("trust") && letters.contains("deny")
    }

    /// Whether a file is a DER certificate: a SEQUENCE of more than 127 bytes.
    ///
    /// A text may begin with the same character.
    package static func isDER(_ file: [UInt8]) -> Bool { file.count > 1 && file[0] == 0x30 && file[1] >= 0x80 }

    private static func constraint(_ text: Substring) -> TrustConstraint? {
        var words = text.split { $0 == " " || $0 == "\t" }[...]
        guard let word = words.popFirst(), let result = results.first(where: { $0.1 == word })?.0 else { return nil }
        var constraint = TrustConstraint(result)
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { return nil }
            switch parts[0] {
            case "policy":
                guard let policy = TrustPolicy.Purpose(identifier: parts[1]) else { return nil }
                constraint.policy = policy
            case "name": constraint.policyName = parts[1]
            case "application": constraint.application = parts[1]
            case "error":
                guard let number = Int64(parts[1]) else { return nil }
                constraint.allowedError = number
            case "usage":
                guard let number = UInt32(parts[1]) else { return nil }
                constraint.keyUsage = number
            default: return nil
            }
        }
        return constraint
    }
}
