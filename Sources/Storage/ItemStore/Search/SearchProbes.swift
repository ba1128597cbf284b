import ChatelaineModel

/// The look-ups of a search, each made when its turn comes.
///
/// The digests of all groups would be most of the work of a search in many groups. A single item is mostly in the
/// first group.
struct SearchProbes: Sequence, Sendable {
    private let known: [SearchProbe]
    /// The groups of the look-ups, in their order; empty where items are looked up by identifier.
    let groups: [AccessGroup]
    private let make: (@Sendable (AccessGroup) -> SearchProbe)?

    init(_ probes: [SearchProbe]) { (known, groups, make) = (probes, [], nil) }

    /// Makes look-ups in groups.
    ///
    /// - Parameter make: makes the look-up in one of the groups.
    init(in groups: [AccessGroup], _ make: @escaping @Sendable (AccessGroup) -> SearchProbe) {
        (known, self.groups, self.make) = ([], groups, make)
    }

    /// The same look-ups in some of the groups only.
    func among(_ groups: [AccessGroup]) -> SearchProbes {
        guard let make else { return self }
        return SearchProbes(in: groups, make)
    }

    func makeIterator() -> Iterator { Iterator(known: known[...], groups: groups[...], make: make) }

    struct Iterator: IteratorProtocol {
        fileprivate var known: ArraySlice<SearchProbe>
        fileprivate var groups: ArraySlice<AccessGroup>
        fileprivate let make: (@Sendable (AccessGroup) -> SearchProbe)?

        mutating func next() -> SearchProbe? {
            if let probe = known.popFirst() { return probe }
            guard let make else { return nil }
            return groups.popFirst().map(make)
        }
    }
}
