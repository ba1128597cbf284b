import ChatelaineModel

/// The look-ups of a search, each made when its turn comes.
///
/// A digest of each group would be most of the work of a look-up in many groups, and an item that is alone wanted is mostly in the first.
struct SearchProbes: Sequence, Sendable {
    private let first: [SearchProbe]
    private let groups: ArraySlice<AccessGroup>
    private let make: (@Sendable (AccessGroup) -> SearchProbe)?

    init(_ probes: [SearchProbe]) {
        first = probes
        groups = []
        make = nil
    }

    /// - Parameter make: the look-up in one of the further groups.
    init(
        _ first: [SearchProbe], then groups: ArraySlice<AccessGroup>,
        _ make: @escaping @Sendable (AccessGroup) -> SearchProbe
    ) {
        self.first = first
        self.groups = groups
        self.make = make
    }

    func makeIterator() -> Iterator { Iterator(first: first[...], groups: groups, make: make) }

    struct Iterator: IteratorProtocol {
        fileprivate var first: ArraySlice<SearchProbe>
        fileprivate var groups: ArraySlice<AccessGroup>
        fileprivate let make: (@Sendable (AccessGroup) -> SearchProbe)?

        mutating func next() -> SearchProbe? {
            if let probe = first.popFirst() { return probe }
            guard let make else { return nil }
            return groups.popFirst().map(make)
        }
    }
}
