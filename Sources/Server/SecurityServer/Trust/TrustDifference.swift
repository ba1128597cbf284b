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
    /// Certificates whose denial is lifted or changed.
    let released: [TrustSetting]
    /// Certificates that changed settings deny, and trust for nothing.
    let denied: [TrustSetting]

    init(from former: [TrustSetting], to changed: [TrustSetting]) {
        let before = Dictionary(former.map { ($0.certificate, $0) }) { first, _ in first }
        let after = Set(changed.map(\.certificate))
        let others = changed.filter { before[$0.certificate]?.constraints != $0.constraints }
        trusted = others.filter(\.trusts)
        denied = others.filter { !$0.trusts }
        let kept = Set(denied.map(\.certificate))
        released =
            others.compactMap { before[$0.certificate] }.filter { $0.denies && !kept.contains($0.certificate) }
            + former.filter { $0.denies && !after.contains($0.certificate) }
    }

    /// Whether the change could make a certificate trusted that was not, or was denied.
    var widensTrust: Bool { !trusted.isEmpty || !released.isEmpty }

    /// The description for a dialog.
    ///
    /// Numbers come before names, which strangers have chosen and which may be cut off.
    func text(of all: Int?) -> String {
        let released = released.filter { one in !trusted.contains { $0.certificate == one.certificate } }
        var parts: [String] = []
        for (settings, words) in [(trusted, "trusted"), (released, "denied no more"), (denied, "denied")]
        where !settings.isEmpty { parts.append("\(settings.count) \(words)") }
        if let all { parts.append(all == 0 ? "nothing set for any other" : "\(all) set in place of all others") }
        let named = trusted + released + denied
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
}
