import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol

/// The keychains of the daemon, by name: each a ``KeychainSlot`` with an opening, a lock and a life of its own.
///
/// The lock of the registry is held for a look into its list, and never while something opens, recovers or waits: a keychain
/// that takes long delays no request to another. What a kind of keychain is made of is the factory's business.
final class KeychainRegistry: Sendable {
    /// Keychains at a time: as many stores as the key custodian opens, less one for a snapshot that is looked at.
    static let maximumKeychains = EnclaveWire.maximumStores - 1

    /// The one that requests mean which name none; always there, so that no look-up asks the list for it.
    let `default`: KeychainSlot
    private let make: @Sendable (KeychainName) -> KeychainSlot
    private let others = AdaptiveMutex<[KeychainName: KeychainSlot]>([:])

    /// - Parameter make: makes a slot that has opened nothing yet; must not wait.
    init(_ make: @escaping @Sendable (KeychainName) -> KeychainSlot) {
        self.make = make
        self.default = make(.default)
    }

    /// The keychain of a name, which is opened when something is asked of it; `errSecNotAvailable` where there are too many.
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

    /// Closes a keychain; whoever asks for it next opens it anew. The default one stays.
    func close(_ name: KeychainName) {
        // What it waits for is the slot's own lock, and nobody else's.
        others.withLock { $0.removeValue(forKey: name) }?.close()
    }

    /// All of them, the default one first, the others by name.
    var all: [KeychainSlot] {
        [self.default] + others.withLock { $0.values.sorted { $0.name.text < $1.name.text } }
    }

    /// Whether each of them can be asked within reason; a watchdog wants to know.
    var isResponsive: Bool { all.allSatisfy(\.isResponsive) }
}

extension Deployment {
    /// Makes what has to be there before a store is opened.
    package func prepareStoreFolders() throws(KeychainError) {
        try RuntimeFolder(stateFolder).prepareUnshared()
        try RuntimeFolder(dataFolder).prepareUnshared()
        let marks = RuntimeFolder(marksFolder)
        try marks.prepare()
        try marks.settle()
    }
}
