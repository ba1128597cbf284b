import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc

/// One open keybag: it hands out keys, counts their seals, and forgets keys when it is locked.
///
/// It saves each new key or count before its use. There are two locks. `state` is held for moments and never across a
/// file operation; `saving` serialises changes. So a look-up never waits for the disk while a block of seals is being
/// reserved. The passcode is checked outside of both, by the holder of the custodian's passcode turn
/// (`KeybagCustodian+Passcode.swift`).
final class KeybagCustodian: Sendable {
    /// A key for sealing or opening, usable as long as its holder keeps it.
    struct OpenKey: Sendable {
        let id: UInt32
        let kind: KeybagKey.Kind
        let accessibility: Accessibility
        let secret: SecretBytes
    }

    /// Identifies the sealing key of a class; each kind has its own.
    struct KeyPlace: Hashable, Sendable {
        let kind: KeybagKey.Kind
        let accessibility: Accessibility
    }

    struct State: Sendable {
        fileprivate(set) var keybag: Keybag
        var device: DeviceState
        /// The keys of all open classes, and no others.
        fileprivate(set) var keys: [UInt32: OpenKey] = [:]
        /// Present while a passcode is set and the keybag is unlocked; it wraps new class keys.
        var protector: SecretBytes?
        /// The number of times that the keybag was locked; an unlock that began before the last one fails.
        var lockings: UInt64 = 0
        /// The authentication contexts of persons and programs.
        var contexts = AuthenticationContexts()
        /// The biometrics that may still fail.
        var matchTries = MatchTries()
        /// The number of writes of the file known to be on disk.
        ///
        /// A higher number would make that file look older than it is.
        fileprivate var generation: UInt64
        /// Whether the file may contain the content of a failed save.
        fileprivate(set) var isUnsettled = false
        /// The current class keys and keys for detached ones, with the seals left of the reservation on disk.
        fileprivate var classKeys: [KeyPlace: (id: UInt32, sealsLeft: UInt64)] = [:]

        fileprivate init(_ keybag: Keybag, _ secrets: [UInt32: SecretBytes]) {
            self.keybag = keybag
            device = DeviceState(hasPasscode: keybag.passcode != nil)
            generation = keybag.generation
            adopt(secrets)
        }

        /// Keeps the secrets of open classes, and drops keys that were removed from the keybag or are locked.
        mutating func adopt(_ secrets: [UInt32: SecretBytes]) {
            let known = Set(keybag.keys.map(\.id))
            keys = keys.filter { known.contains($0.key) && device.opens($0.value.accessibility) }
            for key in keybag.keys where keys[key.id] == nil && device.opens(key.accessibility) {
                keys[key.id] = secrets[key.id].map {
                    OpenKey(id: key.id, kind: key.kind, accessibility: key.accessibility, secret: $0)
                }
            }
            // Wrapping a metadata key may retire the class key, which must not seal any more.
            classKeys = classKeys.filter { keybag.key($0.value.id).map { $0.retired == nil } ?? false }
        }

        /// The reason for which a key is not handed out.
        fileprivate func refusal(of id: UInt32, _ kind: KeybagKey.Kind) -> KeychainError {
            if let key = keybag.key(id), key.kind == kind {
                do throws(KeychainError) { try device.check(key.accessibility) } catch { return error }
            }
            guard !keybag.destroyed.contains(id) else {
                return KeychainError(cause: .keyDestroyed, "key id \(id) was destroyed, and what it protected with it")
            }
            return KeychainError(
                .decode,
                "unknown key id \(id): the keybag \(KeybagFile.text(keybag.id)) has no such key of that kind; "
                    + "the row is damaged")
        }
    }

    let id: KeybagIdentifier
    let store: StoreIdentifier
    let settings: EnclaveSettings
    let tries: PasscodeTries
    let file: KeybagFile
    private let folder: StateFolder
    private let state: AdaptiveMutex<State>
    /// Whether the keybag is closed and no longer writes its file.
    private let saving = AdaptiveMutex(false)

    private init(
        _ keybag: Keybag, _ secrets: [UInt32: SecretBytes], _ file: KeybagFile, _ folder: StateFolder,
        _ settings: EnclaveSettings, seen: TryCounts? = nil
    ) {
        id = keybag.id
        store = keybag.store
        self.file = file
        self.folder = folder
        self.settings = settings
        tries = PasscodeTries(
            TriesFile(keybag: keybag.id, backend: file.backend), name: TriesFile.name(of: keybag.store), in: folder,
            clock: settings.clock, seen: seen)
        state = AdaptiveMutex(State(keybag, secrets))
    }

    /// Opens the keybag of `store` in `folder`; nil if there is none.
    ///
    /// A keybag with a passcode is locked at first.
    ///
    /// - Parameter seen: the passcode tries that this process counted before, by keybag.
    static func load(
        _ store: StoreIdentifier, in folder: StateFolder, backend: any KeyBackend, settings: EnclaveSettings,
        seen: [KeybagIdentifier: TryCounts] = [:]
    ) throws(KeychainError) -> KeybagCustodian? {
        let name = KeybagFile.name(of: store)
        guard let content = try folder.read(name, limit: KeybagFile.maximumBytes) else { return nil }
        let file = KeybagFile(path: "\(folder.path)/\(name)", backend: backend)
        let keybag = try file.decode(content, for: store)
        let device = DeviceState(hasPasscode: keybag.passcode != nil)
        let custodian = KeybagCustodian(
            keybag, try KeybagDraft.unwrap(keybag, backend: backend, for: device), file, folder, settings,
            seen: seen[keybag.id])
        // Starts the delays now, and not with the first try. If the file cannot be read, the try reports the error.
        try? custodian.loadTries()
        return custodian
    }

    /// Makes the keybag of a new, empty store, with keys for every class that can be used without a passcode.
    static func create(
        _ store: StoreIdentifier, in folder: StateFolder, backend: any KeyBackend, settings: EnclaveSettings
    ) throws(KeychainError) -> KeybagCustodian {
        let now = Int64(time(nil))
        let name = KeybagFile.name(of: store)
        let file = KeybagFile(path: "\(folder.path)/\(name)", backend: backend)
        var draft = KeybagDraft(
            keybag: Keybag(id: KeybagIdentifier(), store: store, created: now, changed: now), secrets: [:],
            protector: nil, backend: backend, rotationThreshold: settings.rotationThreshold, now: now)
        for accessibility in Accessibility.allCases where accessibility != .whenPasscodeSetThisDeviceOnly {
            _ = try draft.reserve(0, .classKey, accessibility)
            _ = try draft.reserve(0, .metadataKey, accessibility)
        }
        draft.keybag.generation = 1
        try folder.write(name, try file.encode(draft.keybag), isReplacing: false)
        return KeybagCustodian(draft.keybag, draft.secrets, file, folder, settings)
    }

    /// The number of class keys, including retired and locked ones.
    var classKeyCount: Int { state.withLock { $0.keybag.keys.count { $0.kind == .classKey } } }

    var device: DeviceState { state.withLock { $0.device } }

    /// Reads or changes the state under its lock.
    func withState<Answer: Sendable>(_ body: (inout State) -> Answer) -> Answer { state.withLock { body(&$0) } }

    /// The key of an id.
    ///
    /// - Throws: `errSecDecode` for an unknown id. `errSecItemNotFound` for a key that was destroyed, with everything
    ///   under it. For a locked key, as ``DeviceState/check(_:)``.
    func key(_ id: UInt32, _ kind: KeybagKey.Kind) throws(KeychainError) -> OpenKey {
        if let key = state.withLock({ $0.keys[id] }), key.kind == kind { return key }
        throw state.withLock { $0.refusal(of: id, kind) }
    }

    /// The key to seal with; `seals` seals are added to its count.
    func sealingKey(_ place: KeyPlace, seals: Int) throws(KeychainError) -> OpenKey {
        let seals = UInt64(max(seals, 0))
        if let key = takeReserved(place, seals) { return key }
        return try whileSaving { () throws(KeychainError) in
            // Another thread may have reserved a block while this one waited.
            if let key = takeReserved(place, seals) { return key }
            try device.check(place.accessibility)
            let block = max(settings.blockSize, seals)
            let id = try save { draft throws(KeychainError) in
                let id = try draft.reserve(block, place.kind, place.accessibility)
                if place.kind == .detachedKey { try draft.prepareDetachedKeys() }
                return id
            }
            state.withLock { state in
                let left = state.classKeys[place].map { $0.id == id ? $0.sealsLeft : 0 } ?? 0
                state.classKeys[place] = (id, left + block - seals)
            }
            return try key(id, place.kind)
        }
    }

    /// The metadata key to seal with, and a block of seals for the caller.
    func metadataKey(_ accessibility: Accessibility) throws(KeychainError) -> (key: OpenKey, seals: UInt64) {
        try whileSaving { () throws(KeychainError) in
            try device.check(accessibility)
            let id = try save { draft throws(KeychainError) in
                try draft.reserve(settings.blockSize, .metadataKey, accessibility)
            }
            return (try key(id, .metadataKey), settings.blockSize)
        }
    }

    /// The number of times that the keybag was written, and whether it records that its store has a mark.
    var history: (generation: UInt64, isMarked: Bool) {
        state.withLock { ($0.generation, $0.keybag.isMarked) }
    }

    /// Records that the store has a mark; the record is on disk when the method returns.
    func noteMark() throws(KeychainError) {
        try whileSaving { () throws(KeychainError) in
            guard !history.isMarked else { return }
            try save { draft throws(KeychainError) in draft.keybag.isMarked = true }
        }
    }

    /// Destroys keys that no longer seal; `ids` may include keys that are already destroyed.
    func destroyKeys(_ ids: [UInt32]) throws(KeychainError) {
        try whileSaving { () throws(KeychainError) in
            let keybag = state.withLock { $0.keybag }
            let ids = Set(ids).subtracting(keybag.destroyed)
            guard !ids.isEmpty else { return }
            for id in ids {
                guard let key = keybag.key(id), key.retired != nil, key.kind != .detachedKey else {
                    throw KeychainError(
                        .param,
                        "key id \(id) is unknown, or seals, or programs keep what it sealed; it is not destroyed")
                }
            }
            guard keybag.keys.allSatisfy({ !ids.contains($0.parent) || ids.contains($0.id) }) else {
                throw KeychainError(.param, "a class key is to be destroyed, and a metadata key that it wraps is not")
            }
            try save { draft throws(KeychainError) in try draft.destroy(ids) }
        }
    }

    /// Stops writing, because another custodian may open the keybag from now on.
    ///
    /// Keys in memory still open.
    func close() {
        saving.withLock { $0 = true }
        withState { $0.contexts.removeAll() }
    }

    func whileSaving<Result>(_ body: () throws(KeychainError) -> Result) throws(KeychainError) -> Result {
        try saving.withLock { (isClosed) throws(KeychainError) in
            guard !isClosed else { throw KeychainError(.param, "the store was closed while it was asked about") }
            return try body()
        }
    }

    private func takeReserved(_ place: KeyPlace, _ seals: UInt64) -> OpenKey? {
        state.withLock { state in
            guard let (id, left) = state.classKeys[place], left >= seals, let key = state.keys[id] else {
                return nil
            }
            state.classKeys[place] = (id, left - seals)
            return key
        }
    }

    /// Makes a change, saves it, and only then makes it visible.
    ///
    /// The caller holds `saving`.
    ///
    /// - Parameter opening: the accompanying change of the device's state.
    func save<Answer>(
        opening: (inout State) -> Void = { _ in },
        _ change: (inout KeybagDraft) throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        let (keybag, keys, protector) = state.withLock { ($0.keybag, $0.keys, $0.protector) }
        var draft = KeybagDraft(
            keybag: keybag, secrets: keys.mapValues(\.secret), protector: protector, backend: file.backend,
            rotationThreshold: settings.rotationThreshold, now: Int64(time(nil)))
        let answer = try change(&draft)
        draft.keybag.generation += 1
        draft.keybag.triesSequence = max(draft.keybag.triesSequence, tries.durableSequence)
        do throws(KeychainError) {
            let content = try file.encode(draft.keybag)
            try folder.write(KeybagFile.name(of: store), content, isReplacing: true)
        } catch {
            // The new content may be on disk nevertheless, so its ids must not get another meaning.
            let (burnt, written) = (draft.keybag.nextKeyID, draft.keybag.generation)
            state.withLock { state in
                state.keybag.nextKeyID = max(state.keybag.nextKeyID, burnt)
                state.keybag.generation = max(state.keybag.generation, written)
                state.isUnsettled = true
            }
            throw error
        }
        let (saved, secrets) = (draft.keybag, draft.secrets)
        state.withLock { state in
            state.keybag = saved
            state.generation = saved.generation
            state.isUnsettled = false
            opening(&state)
            // Keys that were locked meanwhile stay locked.
            state.adopt(secrets)
        }
        return answer
    }
}
