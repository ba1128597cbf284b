import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol

/// The keychains of the daemon, by name.
///
/// Each is a ``KeychainSlot`` with its own opening, lock and lifetime.
///
/// The lock of the registry is held only for a look into its list, and never while a keychain opens, recovers or waits.
/// So a slow keychain delays no request to another. The factory decides what a kind of keychain consists of.
final class KeychainRegistry: Sendable {
    /// The keychains at a time: as many stores as the key custodian opens, less one for reading a snapshot.
    static let maximumKeychains = EnclaveWire.maximumStores - 1

    /// The keychain of requests that name none.
    ///
    /// It always exists, so that no look-up needs the list.
    let `default`: KeychainSlot
    private let make: @Sendable (KeychainName) -> KeychainSlot
    private let others = AdaptiveMutex<[KeychainName: KeychainSlot]>([:])

    /// Makes a registry with the default keychain.
    ///
    /// - Parameter make: makes a slot that has opened nothing yet; must not wait.
    init(_ make: @escaping @Sendable (KeychainName) -> KeychainSlot) {
        self.make = make
        self.default = make(.default)
    }

    /// The keychain of a name, which opens with its first request; `errSecNotAvailable` where there are too many.
    func slot(_ name: KeychainName) throws(KeychainError) -> KeychainSlot {
        guard name != .default else { return self.default }
        let slot: KeychainSlot? = others.withLock { others in
            if let slot = others[name] { return slot }
            guard others.count + 1 < Self.maximumKeychains else { return nil }
            let slot = make(name)
            others[name] = slot
            return slot
        }
        guard let slot else {
            throw KeychainError(
                .notAvailable, "\(Self.maximumKeychains) keychains are open already; close one before another is opened"
            )
        }
        return slot
    }

    /// Closes a keychain other than the default one.
    ///
    /// The next request for it opens it anew.
    func close(_ name: KeychainName) {
        // Only the lock of that slot is waited for.
        others.withLock { $0.removeValue(forKey: name) }?.close()
    }

    /// All keychains: the default one first, the others by name.
    var all: [KeychainSlot] {
        [self.default] + others.withLock { $0.values.sorted { $0.name.text < $1.name.text } }
    }

    /// Whether each keychain responds in time.
    ///
    /// The watchdog asks.
    var isResponsive: Bool { all.allSatisfy(\.isResponsive) }
}

extension Deployment {
    /// Makes the folders that a store needs before it is opened.
    package func prepareStoreFolders() throws(KeychainError) {
        try RuntimeFolder(stateFolder).prepareUnshared()
        try RuntimeFolder(dataFolder).prepareUnshared()
        let marks = RuntimeFolder(marksFolder)
        try marks.prepare()
        try marks.settle()
    }
}
