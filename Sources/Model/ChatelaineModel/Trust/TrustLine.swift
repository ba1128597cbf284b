/// One constraint as a line of text, as it stands before a certificate in root's files (`Documentation/formats/trust-settings.md`):
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

    /// Whether a constraint can stand in a line: a blank would end its value.
    package static func canHold(_ constraint: TrustConstraint) -> Bool {
        [constraint.policyName, constraint.application].allSatisfy { text in
            text?.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F } ?? true
        }
    }

    /// The constraints that stand before the certificate of a file; nil where a line is not understood.
    package static func constraints(in file: [UInt8]) -> [TrustConstraint]? {
        var constraints: [TrustConstraint] = []
        for line in file.split(separator: UInt8(ascii: "\n")) {
            let text = String(decoding: line, as: UTF8.self)
            if text.hasPrefix("-----BEGIN") { break }
            guard text.hasPrefix(start) else { continue }
            guard let constraint = constraint(text.dropFirst(start.count)),
                constraints.count < TrustLimits.maximumConstraints
            else { return nil }
            constraints.append(constraint)
        }
        return constraints
    }

    private static func constraint(_ text: Substring) -> TrustConstraint? {
        var words = text.split { $0 == " " || $0 == "\r" || $0 == "\t" }[...]
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
