import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Synchronization

/// The custodian of keys.
///
/// **Data.** The UID key stands for the device; a ``KeyBackend`` holds it and works with it, and nothing asks for it.
/// Each store has a keybag, one file under `keybags/`: class keys, which the backend wraps, and metadata keys, which
/// class keys wrap. A class key wraps the row keys, which lie in the store beside their rows. The keys of ``StoreKeys`` are
/// derived from the UID key and the store's identifier, so that they outlive every change of the keybag.
///
/// **Lifetimes.** Nothing is opened before the first ``EnclaveRequest/openStore(_:isEmpty:)``, so that a state folder
/// in trouble has a client to tell. From then on the UID key and the keybag's keys are in ``SecretBytes``, locked and
/// wiped at the end; a key made ready for swift-crypto (``SealingKey``), whose memory is not locked, lives for one
/// request. That costs a copy of 32 bytes per request and spares us an arena of swift-crypto's own. A keybag stays open until
/// ``EnclaveRequest/closeStore(_:)``.
///
/// **Several stores.** Each request names the store that it is about (`Enclave+Requests.swift`). One whose keybag takes long to
/// open holds up other openings, and no request about a store that is open.
///
/// **The passcode** of a keybag protects the class keys of most classes (``PasscodeRecord``, ``ClassKeyWrapping``). Each keybag is locked and
/// unlocked by itself. One passcode is looked at at a time, and requests about rows go on meanwhile (`Enclave+Passcode.swift`).
///
/// **File keychains** have no keybag: their password opens them, and they are in memory alone (``KeychainCustodian``, `Enclave+Keychain.swift`).
/// Requests about rows go to either by one protocol, ``RowKeyCustodian``.
///
/// **Constraints** of a row are part of what its key is bound to. The custodian evaluates them by what it has seen itself and keeps in
/// authentication contexts (``AuthenticationContexts``, ``AccessFacts``), and by nothing that it is told (`Enclave+Authentication.swift`).
///
/// **Rules.** Which class may be used is ``DeviceState``'s; when a key rotates is ``KeybagDraft``'s, and that nothing
/// is used before it is saved is ``KeybagCustodian``'s; how files are written, checked and never overwritten is
/// ``StateFolder``'s. Formats: `Documentation/formats/keybag.md`, `seals.md`.
///
/// **Never.** A class key or the UID key in a reply; an id with two meanings; a file deleted, mended or replaced by
/// anything but its own successor.
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
    /// Held by the one whose passcode is looked at: the memory that it takes is taken once, and no count is passed by.
    let passcodeTurn = AdaptiveMutex(())
    /// Held by the one for whom a key is derived from a program's password, or from that of a file keychain.
    let passwordTurn = AdaptiveMutex(PasswordTurn())
    /// Held by the one whose biometric is looked at: there is one reader.
    let matchTurn = AdaptiveMutex(false)
    /// What was counted of tries before a keybag was closed: one that is opened again goes on from there, whatever its file says.
    private let seenTries = AdaptiveMutex<[KeybagIdentifier: TryCounts]>([:])
    /// Held by those that open or close something, across their work on files.
    private let opening = AdaptiveMutex<Foundation?>(nil)
    /// Held for a look into it.
    let stores = AdaptiveMutex(OpenStores())
    private let sawPasscode = Atomic(false)

    /// A custodian whose state is in `stateFolder`, an absolute path; nothing is opened yet.
    package init(
        stateFolder: String, settings: EnclaveSettings = EnclaveSettings(), files: FileCalls = .system
    ) {
        self.stateFolder = stateFolder
        self.settings = settings
        self.files = files
    }

    /// Whoever has the keys of rows of a store that is open; `errSecParam` where it is not.
    func custodian(of store: StoreIdentifier) throws(KeychainError) -> any RowKeyCustodian {
        try stores.withLock { stores throws(KeychainError) in
            if let keybag = stores.keybag(of: store) { return keybag }
            guard let keychain = stores.keychains[store] else { throw Self.notOpen }
            return keychain
        }
    }

    /// The keybag of a store that is open; `errSecParam` where it is not, or is a file keychain.
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

    /// See ``EnclaveRequest/openStore(_:isEmpty:)``. Only this and ``close(_:)`` wait for one another.
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
                // Not before: a folder that lacks what it should hold may be exchanged for the one that has it.
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

    /// See ``EnclaveRequest/closeStore(_:)``. Requests that have its keybag, or its keychain, already end with it.
    func close(_ store: StoreIdentifier) {
        defer { settings.keyWorkers.forgetKeys() }
        // Locking a file keychain waits for nobody.
        guard !stores.withLock({ $0.lockKeychain(store) }) else { return }
        // Not while it is being opened, and before it is opened again: two that write one file would not know of each other's keys.
        opening.withLock { _ in
            if let keybag = opened(store) {
                // Whoever has the turn counts to the end.
                passcodeTurn.withLock { _ in keybag.close() }
                seenTries.withLock { $0[keybag.id] = keybag.tries.counts ?? $0[keybag.id] }
            }
            stores.withLock { $0.removeKeybag(of: store) }
        }
    }

    /// See ``EnclaveRequest/endContext(_:)``.
    func endContext(_ number: UInt64) {
        for keybag in stores.withLock({ $0.keybags }) { keybag.withState { $0.contexts.end(number) } }
    }

    /// Whether there was a passcode since this process began: asked after every reply, and so no lock.
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
            // The folder is made after the key: where it is, there was a key.
            guard keybags == nil, isEmpty else {
                throw KeychainError(
                    .notAvailable,
                    "the UID key in \(folder.path) is missing; without it nothing opens: restore it from a backup")
            }
            try backend.create()
        }
        if keybags == nil, isEmpty { keybags = try folder.subfolder("keybags", creating: true) }
        // An earlier attempt may have ended between the writing of a name and its sync.
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
