import ChatelaineSystem

/// Whoever keeps keys of a store in memory.
protocol KeyHolder: AnyObject, Sendable {
    /// Forgets all keys; a key that was requested before and comes after it is not kept.
    func forget()
    /// Forgets the keys whose time is over; whether there are any left whose time will be over.
    func forgetExpired() -> Bool
}

extension KeyHolder {
    func forgetExpired() -> Bool { false }
}

/// The holders of cached keys of stores.
///
/// They forget their keys when protection classes are locked, or may be. They then ask for them again, and the
/// custodian decides.
package final class KeyHolders: Sendable {
    /// Runs `step` on a thread of its own, again and again after a pause in seconds, until it answers false.
    ///
    /// - Returns: false where no thread can be had.
    package typealias Repeater =
        @Sendable (_ pause: Double, _ step: @escaping @Sendable () -> Bool) -> Bool

    private final class Reference: Sendable {
        weak let holder: (any KeyHolder)?
        init(_ holder: any KeyHolder) { self.holder = holder }
    }

    private let references = AdaptiveMutex<[Reference]>([])
    private let repeater: Repeater?
    /// Whether a thread forgets the keys whose time is over; the lock is held while that thread finds that it may end.
    private let isExpiring = AdaptiveMutex(false)

    /// - Parameter repeater: nil where nobody forgets keys in time, so that none are kept for a time.
    package init(expiringBy repeater: Repeater? = nil) { self.repeater = repeater }

    func add(_ holder: any KeyHolder) {
        references.withLock { references in
            references.removeAll { $0.holder == nil }
            references.append(Reference(holder))
        }
    }

    /// Forgets all keys; when it returns, no key is cached, and no earlier request for a key will cache one.
    package func forgetKeys() {
        for reference in references.withLock({ $0 }) { reference.holder?.forget() }
    }

    // MARK: Keys whose time is over

    /// Whether keys are made that may never be used.
    var keepsReadyKeys: Bool { repeater != nil }

    /// Has the keys forgotten once their time is over; false where no thread can be had for that.
    ///
    /// The thread ends when there are no such keys any more.
    func expireKeys() -> Bool {
        isExpiring.withLock { isExpiring in
            if isExpiring { return true }
            isExpiring = repeater?(ReadyRowKeys.lifetime) { [weak self] in self?.forgetExpired() ?? false } ?? false
            return isExpiring
        }
    }

    /// Whether there is something left to forget later.
    private func forgetExpired() -> Bool {
        isExpiring.withLock { isExpiring in
            isExpiring = false
            for reference in references.withLock({ $0 }) where reference.holder?.forgetExpired() ?? false {
                isExpiring = true
            }
            return isExpiring
        }
    }
}
