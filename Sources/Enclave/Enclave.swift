import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Synchronization
import SystemCalls

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
/// request. That costs a copy of 32 bytes per request and spares us an arena of swift-crypto's own.
///
/// **Rules.** Which class may be used is ``DeviceState``'s; when a key rotates is ``KeybagDraft``'s, and that nothing
/// is used before it is saved is ``KeybagCustodian``'s; how files are written, checked and never overwritten is
/// ``StateFolder``'s. Formats: `Documentation/formats/keybag.md`, `seals.md`.
///
/// **Never.** A class key or the UID key in a reply; an id with two meanings; a file deleted, mended or replaced by
/// anything but its own successor.
public final class Enclave: Sendable {
    /// The version of keybag files that this code writes, and the newest that it reads.
    public static let keybagVersion = KeybagFile.version

    /// Stores open at a time: one is the rule, a second one while a snapshot is looked at.
    static let maximumStores = 16

    private struct Foundation: Sendable {
        let folder: StateFolder
        let backend: any KeyBackend
    }

    private struct State: Sendable {
        var foundation: Foundation?
        var keybags: [StoreIdentifier: KeybagCustodian] = [:]
    }

    let device: DeviceState
    private let stateFolder: String
    private let settings: EnclaveSettings
    private let files: FileCalls
    private let state = Mutex(State())

    /// A custodian whose state is in `stateFolder`, an absolute path; nothing is opened yet.
    public convenience init(
        stateFolder: String, settings: EnclaveSettings = EnclaveSettings(), files: FileCalls = .system
    ) {
        self.init(stateFolder: stateFolder, settings: settings, files: files, device: DeviceState())
    }

    init(stateFolder: String, settings: EnclaveSettings, files: FileCalls, device: DeviceState) {
        self.stateFolder = stateFolder
        self.settings = settings
        self.files = files
        self.device = device
    }

    /// A session on which no store is open.
    public func makeSession() -> EnclaveSession { EnclaveSession(self, nil) }

    /// The keybag that is open, if exactly one is.
    var onlyKeybag: KeybagCustodian? {
        state.withLock { $0.keybags.count == 1 ? $0.keybags.values.first : nil }
    }

    /// See ``EnclaveRequest/openStore(_:isEmpty:)``. Only this and the like of it wait for one another.
    func openStore(
        _ store: StoreIdentifier, isEmpty: Bool
    ) throws(KeychainError) -> (keybag: KeybagCustodian, keys: StoreKeys) {
        try state.withLock { state throws(KeychainError) in
            let foundation = if let opened = state.foundation { opened } else { try openFoundation() }
            let keybag: KeybagCustodian
            if let opened = state.keybags[store] {
                keybag = opened
            } else {
                guard state.keybags.count < Self.maximumStores else {
                    throw KeychainError(.notAvailable, "\(Self.maximumStores) stores are open already")
                }
                keybag = try openKeybag(store, isEmpty: isEmpty, foundation)
                state.keybags[store] = keybag
                // Not before: a folder that lacks what it should hold may be exchanged for the one that has it.
                state.foundation = foundation
            }
            let backend = foundation.backend
            var keys = try StoreKeys(keybag: keybag.id) { (purpose) throws(KeychainError) in
                try backend.derive(.store(purpose), for: store.value)
            }
            (keys.keybagGeneration, keys.isMarked) = keybag.history
            return (keybag, keys)
        }
    }

    func report(classKeys: Int) -> EnclaveReport {
        let memory = SecretArena.usage
        return EnclaveReport(
            backend: state.withLock { $0.foundation?.backend.name } ?? "software", isUnlocked: device.isUnlocked,
            hasPasscode: device.hasPasscode, isDumpable: settings.isDumpable(),
            lockedBytes: UInt64(memory.lockedBytes), unlockedBytes: UInt64(memory.unlockedBytes),
            classKeys: UInt32(clamping: classKeys))
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
            let keybag = try KeybagCustodian.load(store, in: keybags, backend: backend, settings: settings)
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
