import ChatelaineModel

/// Apple's words for policies and trust settings.
enum TrustWords {
    /// All words for policies, for help.
    static var allPolicies: String {
        let words = TrustPolicy.Purpose.allCases.compactMap(\.terms.word)
        return words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    }

    private static let results: [(String, TrustConstraint.Result)] = [
        ("trustRoot", .trustRoot), ("trustAsRoot", .trustAsRoot), ("deny", .deny), ("unspecified", .unspecified),
    ]
    private static let errors: [(String, Status)] = [
        ("certExpired", .certificateExpired), ("hostnameMismatch", .hostNameMismatch),
    ]

    static func policy(_ word: String) throws(MacUsage) -> TrustPolicy.Purpose {
        guard
            let found = TrustPolicy.Purpose.allCases.first(where: { $0.terms.word?.lowercased() == word.lowercased() })
        else {
            throw MacUsage("\(word) is no policy that is known here")
        }
        return found
    }

    static func result(_ word: String) throws(MacUsage) -> TrustConstraint.Result {
        guard let found = results.first(where: { $0.0.lowercased() == word.lowercased() })?.1 else {
            throw MacUsage("\(word) is no result: trustRoot, trustAsRoot, deny or unspecified")
        }
        return found
    }

    static func error(_ word: String) throws(MacUsage) -> Int64 {
        if let found = errors.first(where: { $0.0 == word })?.1 { return Int64(found.rawValue) }
        guard let number = Int32(word) else {
            throw MacUsage("\(word) is no error: certExpired, hostnameMismatch or a number")
        }
        return Int64(number)
    }

    static func name(of policy: TrustPolicy.Purpose) -> String {
        policy.terms.word ?? policy.identifier
    }

    /// The name in Apple's header.
    static func name(of result: TrustConstraint.Result) -> String {
        let word = results.first { $0.1 == result }?.0 ?? ""
        return "kSecTrustSettingsResult" + word.prefix(1).uppercased() + word.dropFirst()
    }
}
