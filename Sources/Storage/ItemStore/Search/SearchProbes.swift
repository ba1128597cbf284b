import ChatelaineModel

/// The look-ups of a search, each made when its turn comes.
///
/// A digest of each group would be most of the work of a look-up in many groups, and an item that is alone wanted is mostly in the first.
struct SearchProbes: Sequence, Sendable {
    private let known: [SearchProbe]
    /// Those that are looked into, one after the other; none where items are looked up by their names.
    let groups: [AccessGroup]
    private let make: (@Sendable (AccessGroup) -> SearchProbe)?

    init(_ probes: [SearchProbe]) { (known, groups, make) = (probes, [], nil) }

    /// - Parameter make: the look-up in one of the groups.
    init(in groups: [AccessGroup], _ make: @escaping @Sendable (AccessGroup) -> SearchProbe) {
        (known, self.groups, self.make) = ([], groups, make)
    }

    /// The same in some of the groups alone.
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
