extension SystemCallFilter {
    /// A filter that together with this one, which is there already, allows what `other` together with this one would.
    ///
    /// Of two filters the kernel follows the stricter, so calls about which both have one rule need not be named again. Each
    /// instruction costs a process that is made for one question.
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
