import ChatelaineModel

/// What new trust settings would change, for the person who is asked about them.
///
/// It exaggerates if anything: a changed setting that trusts counts as more trust, though it may trust less.
struct TrustDifference {
    /// The number of certificate names, of which a dialog has room for a few.
    private static let maximumNames = 3
    private static let maximumNameLength = 30

    /// Certificates that changed settings trust for something.
    let trusted: [TrustSetting]
    /// Certificates that are denied no more.
    let released: [TrustSetting]
    /// Certificates that are denied still, and trusted for nothing, but not surely for all that they were.
    let deniedForLess: [TrustSetting]
    /// Certificates that changed settings deny, and trust for nothing.
    let denied: [TrustSetting]

    init(from former: [TrustSetting], to changed: [TrustSetting]) {
        let before = Dictionary(former.map { ($0.certificate, $0) }) { first, _ in first }
        let after = Set(changed.map(\.certificate))
        let others = changed.filter { before[$0.certificate]?.constraints != $0.constraints }
        trusted = others.filter(\.trusts)
        let denials = others.filter { !$0.trusts }
        deniedForLess = denials.filter { !$0.denies(allThat: before[$0.certificate]) }
        denied = denials.filter { $0.denies(allThat: before[$0.certificate]) }
        let kept = Set(denials.map(\.certificate))
        released =
            others.compactMap { before[$0.certificate] }.filter { $0.denies && !kept.contains($0.certificate) }
            + former.filter { $0.denies && !after.contains($0.certificate) }
    }

    /// Whether the change could make a certificate trusted that was not, or was denied.
    var widensTrust: Bool { !trusted.isEmpty || !released.isEmpty || !deniedForLess.isEmpty }

    /// What the change makes of the certificate that it sets, for a person.
    func word(for setting: TrustSetting) -> String {
        setting.trusts ? "trusted" : deniedForLess.contains(setting) ? Self.less : "denied"
    }

    private static let less = "denied for less"

    /// The description for a dialog.
    ///
    /// Numbers come before names, which strangers have chosen and which may be cut off.
    func text(of all: Int?) -> String {
        let released = released.filter { one in !trusted.contains { $0.certificate == one.certificate } }
        var parts: [String] = []
        let groups = [
            (trusted, "trusted"), (released, "denied no more"), (deniedForLess, Self.less), (denied, "denied"),
        ]
        for (settings, words) in groups where !settings.isEmpty { parts.append("\(settings.count) \(words)") }
        if let all { parts.append(all == 0 ? "nothing set for any other" : "\(all) set in place of all others") }
        let named = trusted + released + deniedForLess + denied
        guard !named.isEmpty else { return parts.joined(separator: ", ") }
        var names = named.prefix(Self.maximumNames).map { String($0.summary.prefix(Self.maximumNameLength)) }
        if named.count > names.count { names.append("\(named.count - names.count) more") }
        return "\(parts.joined(separator: ", ")): \(names.joined(separator: ", "))"
    }
}

extension TrustSetting {
    /// Whether the setting trusts the certificate for anything, or leaves something to other settings.
    var trusts: Bool { constraints.isEmpty || constraints.contains { $0.result != .deny } }
    var denies: Bool { constraints.contains { $0.result == .deny } }

    /// Whether a setting that trusts nothing surely denies whatever another one denies.
    fileprivate func denies(allThat other: TrustSetting?) -> Bool {
        let denials = other?.constraints.filter { $0.result == .deny } ?? []
        return constraints.contains(where: \.isForEverything) || Set(constraints).isSuperset(of: denials)
    }
}

extension TrustConstraint {
    /// Whether the constraint concerns every evaluation.
    fileprivate var isForEverything: Bool {
        policy == nil && policyName == nil && application == nil && keyUsage == nil
    }
}
