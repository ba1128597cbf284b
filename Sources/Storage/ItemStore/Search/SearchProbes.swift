import ChatelaineModel

/// The look-ups of a search, each made when its turn comes.
///
/// A digest of each group would be most of the work of a look-up in many groups, and an item that is alone wanted is mostly in the first.
struct SearchProbes: Sequence, Sendable {
    private let known: [SearchProbe]
    private let groups: ArraySlice<AccessGroup>
    private let make: (@Sendable (AccessGroup) -> SearchProbe)?

    init(_ probes: [SearchProbe]) { (known, groups, make) = (probes, [], nil) }

    /// - Parameter make: the look-up in one of the groups.
    init(in groups: ArraySlice<AccessGroup>, _ make: @escaping @Sendable (AccessGroup) -> SearchProbe) {
        (known, self.groups, self.make) = ([], groups, make)
    }

    func makeIterator() -> Iterator { Iterator(known: known[...], groups: groups, make: make) }

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
