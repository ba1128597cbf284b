import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import FileKeychains
import Glibc
import InProcess
import ItemStore
import SecurityServer
import StoreEngine
import seam

/// A file keychain in the same home: its file is where a user puts it, and Chatelaine's own files are beside the
/// stores.
final class KeychainHome {
    let keychain: FileKeychain
    private let home: Home
    /// The key that opens the machine's keychains without a password.
    var machineKey: MachineKey { MachineKey(path: "\(home.path)/\(Self.machineKeyName)") }
    static let machineKeyName = "system-key"
    /// The path at which copies of the keychain are published.
    private var published: String { home.path + "/published.keychain-db" }

    convenience init(_ home: Home, isElsewhere: Bool = false) {
        self.init(home, at: home.path + "/work.keychain-db", beside: "file-keychains", isElsewhere: isElsewhere)
    }

    /// - Parameter name: the name of the folders with Chatelaine's own files.
    private init(_ home: Home, at path: String, beside name: String, isElsewhere: Bool = false) {
        self.home = home
        keychain = FileKeychain(
            path, isElsewhere: isElsewhere,
            places: FileKeychainPlaces(
                stores: "\(home.path)/data/\(name)", marks: "\(home.path)/state/\(name)",
                // Files that another round has left do not exist for this one.
                look: { other throws(KeychainError) in other == path ? try KeychainFile.identity(at: other) : nil }),
            keys: home.keychainKeys,
            clock: StoreClock {
                800_000_000
            } elapsed: {
                0
            })
    }

    func create(_ password: String) throws(KeychainError) {
        guard keychain.isElsewhere else { return try keychain.create(try home.keychainMaker(password)) }
        let wasThere = try KeychainFile.identity(at: keychain.path) != nil
        do throws(KeychainError) {
            try keychain.create(in: try lend(O_CREAT | O_EXCL), try home.keychainMaker(password))
        } catch {
            // As a program removes the file that it made.
            if !wasThere { unlink(keychain.path) }
            throw error
        }
    }

    /// Opens the file for the daemon, as a program does.
    private func lend(_ flags: Int32 = 0) throws(KeychainError) -> LentFile {
        let file = Descriptor(open(keychain.path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0o600))
        guard file.number >= 0 else {
            switch errno {
            case EEXIST: throw KeychainError(cause: .request, status: .duplicateKeychain, keychain.path)
            case ENOENT: throw KeychainError(cause: .missing, status: .noSuchKeychain, keychain.path)
            default: throw KeychainError(system: errno, keychain.path)
            }
        }
        let folder = Descriptor(open(home.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        guard folder.number >= 0 else { throw KeychainError(system: errno, home.path) }
        return try LentFile(file: file, folder: folder, path: keychain.path)
    }

    func unlock(_ password: String) throws(KeychainError) -> Bool {
        let lent = keychain.isElsewhere && !keychain.isUnlocked ? try lend() : nil
        return try keychain.unlock(lending: lent) { (_, header) throws(KeychainError) in
            try home.unlockKeychain(header, password)
        } == .unlocked
    }

    func lock() { keychain.lock(home.keychainKeys.closeStore) }

    /// Makes its newest snapshot the keychain.
    func restore() throws(KeychainError) {
        guard let name = try keychain.snapshots().first?.name else {
            throw KeychainError(.internalComponent, "there is no snapshot of the keychain")
        }
        let lent = keychain.isElsewhere ? try lend() : nil
        _ = try keychain.restore(name, lending: lent) { lock() }
    }

    func delete() throws(KeychainError) {
        try keychain.delete(home.keychainKeys.closeStore)
        guard keychain.isElsewhere else { return }
        guard unlink(keychain.path) == 0 || errno == ENOENT else { throw KeychainError(system: errno, keychain.path) }
        try StoreFolder.sync(home.path)
    }

    func change(_ password: String, to new: String) throws(KeychainError) {
        try keychain.replaceHeader(
            try home.changeKeychain(try keychain.header().header, password, to: new))
    }

    func set(interval: UInt32) throws(KeychainError) {
        var settings = KeychainSettings()
        settings.lockInterval = interval
        try keychain.replaceSettings(settings)
    }

    /// Publishes a copy; where that fails, readers still have the former copy.
    ///
    /// Returns whether it is published.
    @discardableResult
    func publish() -> Bool {
        do throws(KeychainError) { _ = try keychain.publish(to: published) } catch { return false }
        return true
    }

    /// Opens the published copy in place of the file; nil where there is no copy.
    ///
    /// - Parameter name: the name of the file that is made of the copy, another one each time.
    func published(_ passwords: Set<String>, as name: String) throws(KeychainError) -> KeychainHome? {
        let path = "\(home.path)/\(name).keychain-db"
        guard try FileKeychain.restore(path, from: published) else { return nil }
        let restored = KeychainHome(home, at: path, beside: name)
        for password in passwords where try restored.unlock(password) { return restored }
        throw KeychainError(.authFailed, "no password opens what was published")
    }

    /// Finds all items: passwords by account, certificates and keys by label.
    func items() throws(KeychainError) -> [String: Item] {
        var query = ScenarioRun.named()
        query.limit = .all
        query.returns = [.data, .attributes]
        var items: [String: Item] = [:]
        for found in try keychain.store().find(query, groups: [FileKeychain.group]) {
            guard case .text(let account)? = found.attributes[.account], let secret = found.secret else {
                throw KeychainError(.decode, "an item without an account or a secret")
            }
            items[account] = Item(
                secret: secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }, label: "")
        }
        for itemClass in [ItemClass.certificate, .key] {
            var query = ItemQuery(itemClass: itemClass)
            (query.limit, query.returns) = (.all, [.data, .attributes])
            for found in try keychain.store().find(query, groups: [FileKeychain.group]) {
                // Items of pairs and identities are checked by their use.
                guard Self.pair(of: found) == nil, found.attributes[.publicKeyHash] == nil else {
                    continue
                }
                guard case .text(let label)? = found.attributes[.label], let secret = found.secret else {
                    throw KeychainError(.decode, "a certificate or key without a label or its bytes")
                }
                items[label] = Item(
                    secret: secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }, label: itemClass.name)
            }
        }
        return items.merging(try pairs()) { first, _ in first }
    }
}

/// The expected state of a file keychain: its password, its settings and its items.
struct ObservedKeychain: Equatable {
    var password: String
    var interval = KeychainSettings.newInterval
    var items: [String: Item] = [:]
}

/// Operations on a file keychain.
extension ScenarioRun {
    func createKeychain(_ password: String) {
        change("create a keychain", { $0.keychain = ObservedKeychain(password: password) }, or: .duplicateKeychain) {
            (home) throws(KeychainError) in try home.create(password)
        }
        // If the file was made but the answer was lost, the keychain is locked.
        unlockKeychain()
    }

    func unlockKeychain() {
        let password = state.keychain?.password ?? ""
        attempt("unlock the keychain") { (home) throws(KeychainError) in
            guard try home.unlock(password) else { throw KeychainError(.authFailed, "the password is another one") }
        }
    }

    func lockKeychain() { attempt("lock the keychain") { (home) in home.lock() } }

    func takeKeychainSnapshot() {
        attempt("take a snapshot of the keychain") { (home) throws(KeychainError) in
            _ = try home.keychain.takeSnapshot(of: home.keychain.store())
        }
    }

    func restoreKeychain(password: String, items: [String: Item]) {
        let restored = ObservedKeychain(password: password, items: items)
        change("restore a snapshot of the keychain", { $0.keychain = restored }) { (home) throws(KeychainError) in
            do throws(KeychainError) { try home.restore() } catch {
                lookAtKeychain(home)
                throw error
            }
            // The machine's keychain opens again and is published before the answer.
            guard expectation.keychainIsPublished else { return }
            guard try home.unlock(password) else { throw KeychainError(.authFailed, "the key is another one") }
        }
    }

    /// Checks that a failed restoration leaves the keychain of before, or the restored one, and nothing else.
    private func lookAtKeychain(_ home: KeychainHome) {
        seam_pause()
        defer { seam_resume() }
        let expected = expectation.states.compactMap(\.keychain)
        do throws(KeychainError) {
            for password in expected.map(\.password) where try home.unlock(password) {
                let items = try home.items()
                if !expected.contains(where: { $0.items == items && $0.password == password }) {
                    complain(
                        "after a failed restoration: \(Self.difference(items, state.keychain?.items ?? [:]))")
                }
                return home.lock()
            }
            complain("after a failed restoration no password opens the keychain")
        } catch { complain("after a failed restoration the keychain does not open: \(error.status) \(error.reason)") }
    }

    func changePassword(_ password: String) {
        let former = state.keychain?.password ?? ""
        change("change the password", { $0.keychain?.password = password }, or: .authFailed) {
            (home) throws(KeychainError) in try home.change(former, to: password)
        }
    }

    func setInterval(_ seconds: UInt32) {
        change("set its settings", { $0.keychain?.interval = seconds }) { (home) throws(KeychainError) in
            try home.set(interval: seconds)
        }
    }

    func makeMachineKey() {
        change("make the key file", { $0.hasMachineKey = true }) { (home) throws(KeychainError) in
            try home.machineKey.prepare()
        }
    }

    func deleteKeychain() {
        change("delete the keychain", { $0.keychain = nil }, or: .noSuchKeychain) {
            (home) throws(KeychainError) in try home.delete()
        }
    }

    func addToKeychain(_ account: String, _ secret: String) {
        var new = Self.new(account)
        new.secret = SecretBytes(secret.utf8)
        let item = new
        guard let request = try? Self.request() else { return complain("no request") }
        change("add \(account)", { $0.keychain?.items[account] = Item(secret: secret, label: "") }) {
            (home) throws(KeychainError) in
            _ = try home.keychain.store().add(item, group: FileKeychain.group, request: request)
        }
    }

    /// Adds a certificate, which is not encrypted, or a public key, which states its type; neither needs a worker.
    func addToKeychain(_ itemClass: ItemClass, _ label: String, _ bytes: String) {
        var new = NewItem(itemClass: itemClass)
        new.attributes[.label] = .text(label)
        if itemClass == .key {
            new.keyKind = .ec
            new.attributes[.keyClass] = .number(KeyHalf.publicKey.rawValue)
        }
        new.secret = SecretBytes(bytes.utf8)
        let item = new
        guard let request = try? Self.request() else { return complain("no request") }
        change("add \(label)", { $0.keychain?.items[label] = Item(secret: bytes, label: itemClass.name) }) {
            (home) throws(KeychainError) in
            _ = try home.keychain.store().add(item, group: FileKeychain.group, request: request)
        }
    }

    func deleteFromKeychain(_ account: String) {
        guard let request = try? Self.request() else { return complain("no request") }
        change("delete \(account)", { $0.keychain?.items[account] = nil }) { (home) throws(KeychainError) in
            try home.keychain.store().delete(Self.named(account), groups: [FileKeychain.group], request: request)
        }
    }

    func findInKeychain() {
        do throws(KeychainError) {
            let items = try keychainHome.items()
            if !expectation.states.contains(where: { $0.keychain?.items == items }) {
                complain("a search shows something else: \(Self.difference(items, state.keychain?.items ?? [:]))")
            }
        } catch { judge(error, "find") }
    }

    private func attempt(_ what: String, _ body: (KeychainHome) throws(KeychainError) -> Void) {
        do throws(KeychainError) { try body(keychainHome) } catch {
            judge(error, what)
            again(what) { () throws(KeychainError) in try body(keychainHome) }
        }
        publish(state)
    }

    /// Publishes the keychain where it is open.
    private func publish(_ state: ObservedState) {
        guard expectation.keychainIsPublished, keychainHome.keychain.isUnlocked else { return }
        if keychainHome.publish() { notePublished([state]) }
    }

    func change(
        _ what: String, _ edit: (inout ObservedState) -> Void, or also: Status? = nil,
        _ body: (KeychainHome) throws(KeychainError) -> Void
    ) {
        var after = state
        edit(&after)
        // Where it cannot be published, readers may have what was published before.
        if expectation.published != nil { notePublished([state, after], besidesFormer: true) }
        begin([state, after])
        do throws(KeychainError) { try body(keychainHome) } catch {
            judge(error, what)
            again(what, or: also) { () throws(KeychainError) in try body(keychainHome) }
        }
        // Before the answer.
        publish(after)
        settle(after)
    }
}
