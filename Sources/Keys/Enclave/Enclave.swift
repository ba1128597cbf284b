import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Synchronization

/// Holds the keys of all open stores, and answers requests for them.
///
/// **Data.** The UID key stands for the device. A ``KeyBackend`` holds it and calculates with it, and no request
/// returns it. Each store has a keybag, one file under `keybags/`: class keys, which the backend wraps, and metadata
/// keys, which class keys wrap. A class key wraps the row keys, which are in the store beside their rows. The keys of
/// ``StoreKeys`` are derived from the UID key and the store's identifier, so that they outlive every change of the
/// keybag.
///
/// **Lifetimes.** Nothing is opened before the first ``OpenStore``, so that the error of a damaged state folder reaches
/// a client. From then on the UID key and the keybag's keys are in ``SecretBytes``, locked in memory and wiped at the
/// end. A key prepared for swift-crypto (``SealingKey``) is in memory that is not locked, and lives for one request.
/// That costs a copy of 32 bytes per request and avoids a separate arena for swift-crypto. A keybag stays open until
/// ``CloseStore``.
///
/// **Several stores.** Each request names its store (`Requests`). A keybag that takes long to open delays other
/// openings, but no request about an open store.
///
/// **The passcode** of a keybag protects the class keys of most classes (``PasscodeRecord``, ``ClassKeyWrapping``).
/// Each keybag is locked and unlocked separately. One passcode is checked at a time, and requests about rows continue
/// meanwhile (``PasscodeTurn``).
///
/// **File keychains** have no keybag. Their password opens them, and their keys are in memory only
/// (``KeychainCustodian``, `Enclave+Keychain.swift`). Requests about rows use one protocol for both,
/// ``RowKeyCustodian``.
///
/// **Constraints** of a row are part of the context to which its key is bound. The custodian evaluates them only by
/// facts that it observed itself and keeps in authentication contexts (``AuthenticationContexts``, ``AccessFacts``),
/// never by what a client claims (`Enclave+Authentication.swift`).
///
/// **Rules.** ``DeviceState`` decides which classes can be used. ``KeybagDraft`` decides when a key rotates, and
/// ``KeybagCustodian`` that nothing is used before it is saved. ``StateFolder`` decides how files are written, checked
/// and never overwritten. Formats: `Documentation/formats/keybag.md`, `seals.md`.
///
/// **Never.** No reply contains a class key or the UID key. No id has two meanings. No file is deleted, repaired or
/// replaced, except by its own successor.
package final class Enclave: Sendable {
    /// The version of keybag files that this code writes, and the newest that it reads.
    package static let keybagVersion = KeybagFile.version

    private struct Foundation: Sendable {
        let folder: StateFolder
        let backend: any KeyBackend
    }

    private let stateFolder: String
    let settings: EnclaveSettings
    private let files: FileCalls
    /// Held while a passcode is checked, so that its memory is used once at a time and every try is counted.
    let passcodeTurn = AdaptiveMutex(())
    /// Held while a key is derived from a program's password, or from that of a file keychain.
    let passwordTurn = AdaptiveMutex(PasswordTurn())
    /// Held while a biometric is checked, because there is one reader.
    let matchTurn = AdaptiveMutex(false)
    /// The tries that were counted before a keybag was closed.
    ///
    /// A keybag that is opened again continues from them, whatever its file says.
    private let seenTries = AdaptiveMutex<[KeybagIdentifier: TryCounts]>([:])
    /// Held while stores are opened or closed, including the work on files.
    private let opening = AdaptiveMutex<Foundation?>(nil)
    /// Held only for a look into it.
    let stores = AdaptiveMutex(OpenStores())
    private let sawPasscode = Atomic(false)

    /// Makes a custodian whose state is in `stateFolder`, an absolute path.
    ///
    /// Nothing is opened yet.
    package init(
        stateFolder: String, settings: EnclaveSettings = EnclaveSettings(), files: FileCalls = .system
    ) {
        self.stateFolder = stateFolder
        self.settings = settings
        self.files = files
    }

    /// The custodian of the row keys of an open store; `errSecParam` if the store is not open.
    func custodian(of store: StoreIdentifier) throws(KeychainError) -> any RowKeyCustodian {
        try stores.withLock { stores throws(KeychainError) in
            if let keybag = stores.keybag(of: store) { return keybag }
            guard let keychain = stores.keychains[store] else { throw Self.notOpen }
            return keychain
        }
    }

    /// The keybag of an open store; `errSecParam` if the store is not open, or is a file keychain.
    func keybag(of store: StoreIdentifier) throws(KeychainError) -> KeybagCustodian {
        try stores.withLock { stores throws(KeychainError) in
            if let keybag = stores.keybag(of: store) { return keybag }
            guard stores.keychains[store] == nil else {
                throw KeychainError(
                    .param, "a file keychain has a password alone: no passcode, contexts, policies or signatures")
            }
            throw Self.notOpen
        }
    }

    private static var notOpen: KeychainError {
        KeychainError(cause: .storeNotOpen, "the store is not open; open it first")
    }

    private func opened(_ store: StoreIdentifier) -> KeybagCustodian? { stores.withLock { $0.keybag(of: store) } }

    /// Opens a store; see ``OpenStore``.
    ///
    /// Only this and ``close(_:)`` wait for each other.
    func open(
        _ store: StoreIdentifier, isEmpty: Bool
    ) throws(KeychainError) -> (keybag: KeybagCustodian, keys: StoreKeys) {
        try opening.withLock { present throws(KeychainError) in
            let foundation = if let present { present } else { try openFoundation() }
            let keybag: KeybagCustodian
            if let opened = opened(store) {
                keybag = opened
            } else {
                try stores.withLock { stores throws(KeychainError) in try stores.checkKeybag(of: store) }
                let made = try openKeybag(store, isEmpty: isEmpty, foundation)
                if made.device.hasPasscode { notePasscode() }
                try stores.withLock { stores throws(KeychainError) in try stores.add(made) }
                keybag = made
                // Kept only now: after an error, a folder that lacks something may be replaced by a complete one.
                present = foundation
            }
            let backend = foundation.backend
            var keys = try StoreKeys(keybag: keybag.id) { (purpose) throws(KeychainError) in
                try backend.derive(.store(purpose), for: store.value)
            }
            (keys.keybagGeneration, keys.isMarked) = keybag.history
            return (keybag, keys)
        }
    }

    /// Closes a store; see ``CloseStore``.
    ///
    /// Requests that already use its keybag or keychain finish with it.
    func close(_ store: StoreIdentifier) {
        defer { settings.keyWorkers.forgetKeys() }
        // Locking a file keychain does not wait for other openings.
        guard !stores.withLock({ $0.lockKeychain(store) }) else { return }
        // Excludes openings: two keybags that write the same file would not know of each other's keys.
        opening.withLock { _ in
            if let keybag = opened(store) {
                // A passcode that is being checked is counted to the end first.
                passcodeTurn.withLock { _ in keybag.close() }
                seenTries.withLock { $0[keybag.id] = keybag.tries.counts ?? $0[keybag.id] }
            }
            stores.withLock { $0.removeKeybag(of: store) }
        }
    }

    /// Ends an authentication context; see ``EndContext``.
    func endContext(_ number: UInt64) {
        for keybag in stores.withLock({ $0.keybags }) { keybag.withState { $0.contexts.end(number) } }
    }

    /// Whether there was a passcode since this process began.
    ///
    /// It is read after every reply, so it needs no lock.
    package var hadPasscode: Bool { sawPasscode.load(ordering: .relaxed) }

    func notePasscode() { sawPasscode.store(true, ordering: .relaxed) }

    func report() -> EnclaveReport {
        let memory = SecretArena.usage
        let keybags = stores.withLock { $0.keybags }
        return EnclaveReport(
            backend: opening.withLockIfAvailable { $0?.backend.name }.flatMap { $0 } ?? "software",
            isUnlocked: keybags.allSatisfy { $0.device.lock == .unlocked },
            hasPasscode: keybags.contains { $0.device.hasPasscode },
            isDumpable: settings.isDumpable(),
            lockedBytes: UInt64(memory.lockedBytes), unlockedBytes: UInt64(memory.unlockedBytes),
            classKeys: UInt32(clamping: keybags.reduce(0) { $0 + $1.classKeyCount }))
    }

    private func openFoundation() throws(KeychainError) -> Foundation {
        let folder = try StateFolder.open(stateFolder, files: files, lockAttempts: settings.lockAttempts)
        return Foundation(folder: folder, backend: SoftwareBackend(folder: folder))
    }

    private func openKeybag(
        _ store: StoreIdentifier, isEmpty: Bool, _ foundation: Foundation
    ) throws(KeychainError) -> KeybagCustodian {
        let (folder, backend) = (foundation.folder, foundation.backend)
        let hasKey = try backend.unlock()
        var keybags = try folder.subfolder("keybags", creating: false)
        if !hasKey {
            // The folder is made after the key, so if the folder exists, there was a key.
            guard keybags == nil, isEmpty else {
                throw KeychainError(
                    .notAvailable,
                    "the UID key in \(folder.path) is missing; without it nothing opens: restore it from a backup")
            }
            try backend.create()
        }
        if keybags == nil, isEmpty { keybags = try folder.subfolder("keybags", creating: true) }
        // An earlier attempt may have ended after a name was written and before it was synced.
        try folder.settle()
        try keybags?.settle()
        if let keybags,
            let keybag = try KeybagCustodian.load(
                store, in: keybags, backend: backend, settings: settings, seen: seenTries.withLock { $0 })
        {
            return keybag
        }
        guard let keybags, isEmpty else {
            throw KeychainError(
                .notAvailable,
                "the keybag of store \(KeybagFile.text(store)) is missing in \(folder.path)/keybags, so its items cannot "
                    + "be opened; restore it from a backup. Nothing was changed")
        }
        return try KeybagCustodian.create(store, in: keybags, backend: backend, settings: settings)
    }
}
