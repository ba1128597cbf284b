import ChatelaineModel
import X509

/// Checks name constraints (RFC 5280, 4.2.1.10): the names that certificates below an issuer may have.
///
/// swift-certificates supports host names, addresses and URIs, and refuses a chain with any other constraint. This
/// check also supports e-mail addresses and distinguished names.
enum NameTree {
    /// The most comparisons for one chain; one of distinguished names counts for each pair of their attributes.
    ///
    /// No certificate in use has thousands of names under thousands of constraints.
    static let comparisons = 250_000

    static func check(_ chain: [ReadCertificate], _ defects: inout [Set<TrustDefect>]) {
        guard chain.contains(where: { $0.extensions?.nameConstraints != nil }) else { return }
        var numbers = NameNumbers()
        let names = chain.map { certificate in certificate.allNames.map { ConstrainedName($0, &numbers) } }
        var left = comparisons
        for issuer in chain.indices.dropFirst() {
            guard let constraints = chain[issuer].extensions?.nameConstraints else { continue }
            let limits = NameLimits(constraints, &numbers)
            for index in 0..<issuer {
                // A self-issued certificate in between has its issuer's own names.
                if index > 0, chain[index].isSelfIssued { continue }
                if !limits.allow(names[index], &left) { defects[index].insert(.nameNotAllowed) }
            }
        }
    }
}

/// The constraints of one issuer, by the form of name that they limit.
private struct NameLimits {
    private struct Limits {
        var permitted: [NameSubtree] = []
        var excluded: [NameSubtree] = []
        /// The comparisons that one name takes.
        var cost = 0
    }

    private var limits: [NameForm: Limits] = [:]

    init(_ constraints: NameSubtrees, _ numbers: inout NameNumbers) {
        for name in constraints.permitted { add(NameSubtree(name, &numbers), to: \.permitted) }
        for name in constraints.excluded { add(NameSubtree(name, &numbers), to: \.excluded) }
    }

    private mutating func add(_ subtree: NameSubtree, to list: WritableKeyPath<Limits, [NameSubtree]>) {
        limits[subtree.form, default: Limits()][keyPath: list].append(subtree)
        limits[subtree.form]?.cost += subtree.cost
    }

    func allow(_ names: [ConstrainedName], _ left: inout Int) -> Bool {
        for name in names {
            guard let limits = limits[name.form] else { continue }
            left -= limits.cost
            guard left >= 0 else { return false }
            // What cannot be decided is refused.
            if limits.excluded.contains(where: { $0.contains(name) != false }) { return false }
            guard limits.permitted.isEmpty || limits.permitted.contains(where: { $0.contains(name) == true }) else {
                return false
            }
        }
        return true
    }
}

extension ReadCertificate {
    /// The subject, the alternative names, and the e-mail address of the subject if no alternative name has one.
    var allNames: [GeneralName] {
        let subject = certificate.subject
        let alternative = extensions?.names ?? []
        let hasAddress = alternative.contains { if case .rfc822Name = $0 { true } else { false } }
        return (subject.isEmpty ? [] : [.directoryName(subject)]) + alternative
            + (hasAddress ? [] : emailAddresses.map { .rfc822Name($0) })
    }
}
