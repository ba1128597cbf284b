import ChatelaineSystem

/// The holders of cached keys of stores.
///
/// They forget their keys when protection classes are locked, or may be. They then ask for them again, and the
/// custodian decides.
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

    /// Forgets all keys; when it returns, no key is cached, and no earlier request for a key will cache one.
    package func forgetKeys() {
        for reference in references.withLock({ $0 }) { reference.keys?.forget() }
    }
}
