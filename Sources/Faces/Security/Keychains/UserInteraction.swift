import Synchronization

/// Whether calls of this process about file keychains may have a person asked (`SecKeychainSetUserInteractionAllowed`).
package enum UserInteraction {
    private static let allowed = Atomic<Bool>(true)

    package static var isAllowed: Bool {
        get { allowed.load(ordering: .relaxed) }
        set { allowed.store(newValue, ordering: .relaxed) }
    }
}
