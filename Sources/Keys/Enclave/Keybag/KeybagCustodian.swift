import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// One open keybag: hands out its keys, counts their seals, saves it before a count or key is used.
///
/// Two locks: `state` is held for moments and never across a file operation, `saving` puts changes in a row. So a
/// look-up never waits for the disk while a block of seals is being reserved.
final class KeybagCustodian: Sendable {
    /// A key to seal or open with, as long as its holder keeps it.
    struct OpenKey: Sendable {
        let id: UInt32
        let kind: KeybagKey.Kind
        let accessibility: Accessibility
        let secret: SecretBytes
    }

    private struct State: Sendable {
        var keybag: Keybag
        var secrets: [UInt32: SecretBytes]
        var open: [UInt32: OpenKey]
        /// How often the file was written that is known to be on disk: more would make that one look older than it was.
        let generation: UInt64
        /// Current class keys, and the seals left of what is reserved on disk.
        var classKeys: [Accessibility: (id: UInt32, sealsLeft: UInt64)] = [:]

        init(_ keybag: Keybag, _ secrets: [UInt32: SecretBytes]) {
            self.keybag = keybag
            self.secrets = secrets
            generation = keybag.generation
            open = [:]
            for key in keybag.keys {
                open[key.id] = secrets[key.id].map {
                    OpenKey(id: key.id, kind: key.kind, accessibility: key.accessibility, secret: $0)
                }
            }
        }
    }

    let id: KeybagIdentifier
    let store: StoreIdentifier
    private let file: KeybagFile
    private let folder: StateFolder
    private let settings: EnclaveSettings
    private let state: AdaptiveMutex<State>
    /// Whether it is closed, and no longer the one that writes its file.
    private let saving = AdaptiveMutex(false)

    private init(
        _ keybag: Keybag, _ secrets: [UInt32: SecretBytes], _ file: KeybagFile, _ folder: StateFolder,
        _ settings: EnclaveSettings
    ) {
        id = keybag.id
        store = keybag.store
        self.file = file
        self.folder = folder
        self.settings = settings
        state = AdaptiveMutex(State(keybag, secrets))
    }

    /// Opens the keybag of `store` in `folder`; nil where there is none.
    static func load(
        _ store: StoreIdentifier, in folder: StateFolder, backend: any KeyBackend, settings: EnclaveSettings
    ) throws(KeychainError) -> KeybagCustodian? {
        let name = KeybagFile.name(of: store)
        guard let content = try folder.read(name, limit: KeybagFile.maximumBytes) else { return nil }
        let file = KeybagFile(path: "\(folder.path)/\(name)", backend: backend)
        let keybag = try file.decode(content, for: store)
        return KeybagCustodian(keybag, try KeybagDraft.unwrap(keybag, backend: backend), file, folder, settings)
    }

    /// Makes the keybag of a new, empty store: every class that can be used without a passcode has its keys.
    static func create(
        _ store: StoreIdentifier, in folder: StateFolder, backend: any KeyBackend, settings: EnclaveSettings
    ) throws(KeychainError) -> KeybagCustodian {
        let now = Int64(time(nil))
        let name = KeybagFile.name(of: store)
        let file = KeybagFile(path: "\(folder.path)/\(name)", backend: backend)
        var draft = KeybagDraft(
            keybag: Keybag(id: KeybagIdentifier(), store: store, created: now, changed: now), secrets: [:],
            backend: backend, rotationThreshold: settings.rotationThreshold, now: now)
        for accessibility in Accessibility.allCases where accessibility != .whenPasscodeSetThisDeviceOnly {
            _ = try draft.reserve(0, .classKey, accessibility)
            _ = try draft.reserve(0, .metadataKey, accessibility)
        }
        draft.keybag.generation = 1
        try folder.write(name, try file.encode(draft.keybag), isReplacing: false)
        return KeybagCustodian(draft.keybag, draft.secrets, file, folder, settings)
    }

    /// How many class keys there are, retired ones included.
    var classKeyCount: Int { state.withLock { $0.keybag.keys.count { $0.kind == .classKey } } }

    /// The key of an id. `errSecDecode` for an id that the keybag does not know; `errSecItemNotFound` for one that was
    /// destroyed, with everything under it.
    func key(_ id: UInt32, _ kind: KeybagKey.Kind) throws(KeychainError) -> OpenKey {
        let (key, isDestroyed) = state.withLock { ($0.open[id], $0.keybag.destroyed.contains(id)) }
        if let key, key.kind == kind { return key }
        guard !isDestroyed else {
            throw KeychainError(.itemNotFound, "key id \(id) was destroyed, and what it protected with it")
        }
        throw KeychainError(
            .decode,
            "unknown key id \(id): the keybag \(KeybagFile.text(self.id)) has no such key of that kind; the row is damaged"
        )
    }

    /// The class key to seal with, for `seals` seals, which are on its count then.
    func classKey(_ accessibility: Accessibility, seals: Int) throws(KeychainError) -> OpenKey {
        let seals = UInt64(max(seals, 0))
        if let key = takeReserved(accessibility, seals) { return key }
        return try whileSaving { () throws(KeychainError) in
            // Another thread may have reserved a block while this one waited.
            if let key = takeReserved(accessibility, seals) { return key }
            let block = max(settings.blockSize, seals)
            let id = try save { draft throws(KeychainError) in try draft.reserve(block, .classKey, accessibility) }
            state.withLock { state in
                let left = state.classKeys[accessibility].map { $0.id == id ? $0.sealsLeft : 0 } ?? 0
                state.classKeys[accessibility] = (id, left + block - seals)
            }
            return try key(id, .classKey)
        }
    }

    /// The metadata key to seal with, and a block of seals for whoever asks.
    func metadataKey(_ accessibility: Accessibility) throws(KeychainError) -> (key: OpenKey, seals: UInt64) {
        try whileSaving { () throws(KeychainError) in
            let id = try save { draft throws(KeychainError) in
                try draft.reserve(settings.blockSize, .metadataKey, accessibility)
            }
            return (try key(id, .metadataKey), settings.blockSize)
        }
    }

    /// How often the keybag was written, and whether it says that its store has a mark.
    var history: (generation: UInt64, isMarked: Bool) {
        state.withLock { ($0.generation, $0.keybag.isMarked) }
    }

    /// Says from now on that the store has a mark; on disk when it returns.
    func noteMark() throws(KeychainError) {
        try whileSaving { () throws(KeychainError) in
            guard !history.isMarked else { return }
            _ = try save { (draft) throws(KeychainError) in
                draft.keybag.isMarked = true
                return 0
            }
        }
    }

    /// Writes nothing more: whoever opens the keybag from now on is the one that does. What is in its memory still opens.
    func close() { saving.withLock { $0 = true } }

    private func whileSaving<Result>(_ body: () throws(KeychainError) -> Result) throws(KeychainError) -> Result {
        try saving.withLock { (isClosed) throws(KeychainError) in
            guard !isClosed else { throw KeychainError(.param, "the store was closed while it was asked about") }
            return try body()
        }
    }

    private func takeReserved(_ accessibility: Accessibility, _ seals: UInt64) -> OpenKey? {
        state.withLock { state in
            guard let (id, left) = state.classKeys[accessibility], left >= seals else { return nil }
            state.classKeys[accessibility] = (id, left - seals)
            return state.open[id]
        }
    }

    /// Makes a change, saves it, and only then lets anybody see it; called with `saving` held.
    private func save(
        _ change: (inout KeybagDraft) throws(KeychainError) -> UInt32
    ) throws(KeychainError) -> UInt32 {
        let (keybag, secrets) = state.withLock { ($0.keybag, $0.secrets) }
        var draft = KeybagDraft(
            keybag: keybag, secrets: secrets, backend: file.backend,
            rotationThreshold: settings.rotationThreshold, now: Int64(time(nil)))
        let result = try change(&draft)
        draft.keybag.generation += 1
        do throws(KeychainError) {
            let content = try file.encode(draft.keybag)
            try folder.write(KeybagFile.name(of: store), content, isReplacing: true)
        } catch {
            // The new content may be on disk all the same: what it calls by an id must not get another meaning.
            let (burnt, written) = (draft.keybag.nextKeyID, draft.keybag.generation)
            state.withLock { state in
                state.keybag.nextKeyID = max(state.keybag.nextKeyID, burnt)
                state.keybag.generation = max(state.keybag.generation, written)
            }
            throw error
        }
        let (saved, opened) = (draft.keybag, draft.secrets)
        state.withLock { state in
            let classKeys = state.classKeys
            state = State(saved, opened)
            // A class key that a metadata key's wrapping retired is no longer to seal with.
            state.classKeys = classKeys.filter { saved.key($0.value.id)?.retired == nil }
        }
        return result
    }
}
