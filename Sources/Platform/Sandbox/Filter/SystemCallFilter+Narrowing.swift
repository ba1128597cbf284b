extension SystemCallFilter {
    /// The filter to apply on top of this one, so that both together allow what `other` and this one together would.
    ///
    /// Of two filters the kernel follows the stricter one, so a call with the same rule in both need not be named
    /// again. A short filter matters, since each instruction costs a process that is made for one question.
    func narrowing(to other: SystemCallFilter) -> SystemCallFilter {
        guard unlisted == other.unlisted else { return other }
        let (own, others) = (byCall, other.byCall)
        let different = Set(own.keys).union(others.keys).filter { own[$0] != others[$0] }
        return SystemCallFilter(
            frequent: [], rules: different.map { others[$0] ?? .always(other.unlisted, $0) }, unlisted: .allow)
    }

    private var byCall: [SystemCall: FilterRule] {
        Dictionary(rules.map { ($0.call, $0) }) { first, _ in first }
    }
}
