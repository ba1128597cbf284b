import ChatelaineSystem

/// Those who keep keys of stores at hand. They are told to let go of them when protection classes are locked, or may be: all of them ask anew,
/// and whoever has the keys decides.
package final class KeyHolders: Sendable {
    private final class Reference: Sendable {
        weak let keys: MetadataKeys?
        init(_ keys: MetadataKeys) { self.keys = keys }
    }

    private let references = AdaptiveMutex<[Reference]>([])

    package init() {}

    func add(_ keys: MetadataKeys) {
        references.withLock { references in
            references.removeAll { $0.keys == nil }
            references.append(Reference(keys))
        }
    }

    /// When this returns, no key is at hand, and none that was asked for before comes to be.
    package func forgetKeys() {
        for reference in references.withLock({ $0 }) { reference.keys?.forget() }
    }
}
