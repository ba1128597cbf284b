import ChatelaineModel

/// The unlocks of keychains that are under way. A lock request cancels the unlocks that began before it.
package struct UnlockAttempts: Sendable {
    /// One unlock; ``end(_:)`` has to follow.
    package struct Attempt: Sendable {
        package let store: StoreIdentifier
        fileprivate let lockings: UInt64
    }

    /// For each store, the number of unlocks under way, and how often the store was locked since the first of them
    /// began.
    private var underWay: [StoreIdentifier: (count: Int, lockings: UInt64)] = [:]

    package init() {}

    package mutating func begin(_ store: StoreIdentifier) -> Attempt {
        let (count, lockings) = underWay[store] ?? (0, 0)
        underWay[store] = (count + 1, lockings)
        return Attempt(store: store, lockings: lockings)
    }

    package mutating func end(_ attempt: Attempt) {
        guard let (count, lockings) = underWay[attempt.store] else { return }
        underWay[attempt.store] = count > 1 ? (count - 1, lockings) : nil
    }

    package mutating func noteLock(of store: StoreIdentifier) { underWay[store]?.lockings += 1 }

    package func isUnderWay(_ store: StoreIdentifier) -> Bool { underWay[store] != nil }

    /// - Throws: `errSecInteractionNotAllowed` where the store was locked since the attempt began.
    package func check(_ attempt: Attempt) throws(KeychainError) {
        guard underWay[attempt.store]?.lockings == attempt.lockings else {
            throw KeychainError(
                cause: .locked, "the keychain was locked while it was being unlocked; unlock it again")
        }
    }
}
