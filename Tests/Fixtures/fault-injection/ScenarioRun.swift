import CallerIdentity
import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import ItemStore
import StoreEngine
import seam

/// A run of a scenario, which compares the store with what was acknowledged so far.
///
/// A failed call must return a clear status, and have made its change wholly or not at all. Repeated by the same number
/// and without faults, it must succeed.
final class ScenarioRun {
    let home: Home
    /// A file keychain in the same home, for scenarios that have one.
    private(set) lazy var keychainHome = KeychainHome(home, isElsewhere: expectation.keychainIsElsewhere)
    private(set) var expectation: Expectation
    /// The expectations in their order; the journal of the seam has a note of each.
    private(set) var history: [Expectation] = []
    private(set) var problems: [String] = []
    /// The number of calls that failed, and of changes that were acknowledged.
    private(set) var failures = 0
    private(set) var changes = 0
    /// The state of the store at each snapshot.
    private var pictures: [String: ObservedState] = [:]
    /// Items that are in another group at present.
    var adopted: [String: Item] = [:]
    private let isFailing: Bool

    private static let known: Set<Status> = [.notAvailable, .ioError, .readOnly]

    /// - Parameter isFailing: whether calls may fail; if not, each failure is a problem.
    init(_ path: String, _ expectation: Expectation, isFailing: Bool, isMarked: Bool = true) {
        home = Home(path, isMarked: isMarked)
        self.expectation = expectation
        self.isFailing = isFailing
        note()
    }

    var state: ObservedState { expectation.states[0] }

    private func note() {
        history.append(expectation)
        seam_note(Int64(history.count - 1))
    }

    func begin(_ states: [ObservedState]) {
        expectation.states = states
        note()
    }

    func settle(_ state: ObservedState) {
        expectation.states = [state]
        changes += 1
        note()
    }

    /// Records the states whose file keychain readers may find published.
    func notePublished(_ states: [ObservedState], besidesFormer: Bool = false) {
        let former = besidesFormer ? expectation.published ?? [] : []
        expectation.published = former + states.map { $0.keychain?.items ?? [:] }
    }

    func complain(_ what: String) { problems.append(what) }

    // MARK: What a scenario does

    func add(_ account: String, _ secret: String, label: String = "", isSynchronizable: Bool = false) {
        var new = Self.new(account)
        new.attributes[.label] = label.isEmpty ? nil : .text(label)
        new.secret = SecretBytes(secret.utf8)
        new.isSynchronizable = isSynchronizable
        let item = new
        change("add \(account)", { $0.items[account] = Item(secret: secret, label: label) }) {
            (store, request) throws(KeychainError) in
            _ = try store.add(item, group: Home.group, request: request)
        }
    }

    func update(_ account: String, secret: String) {
        var change = ItemChange()
        change.secret = SecretBytes(secret.utf8)
        self.change("update \(account)", { $0.items[account]?.secret = secret }) {
            (store, request) throws(KeychainError) in
            try store.update(Self.named(account), change, groups: [Home.group], request: request)
        }
    }

    /// Changes all items in one call: all of them or none.
    func labelAll(_ label: String) {
        var change = ItemChange()
        change.attributes[.label] = .text(label)
        self.change("update all", { for account in $0.items.keys { $0.items[account]?.label = label } }) {
            (store, request) throws(KeychainError) in
            try store.update(Self.named(), change, groups: [Home.group], request: request)
        }
    }

    func delete(_ account: String) {
        change("delete \(account)", { $0.items[account] = nil }) { (store, request) throws(KeychainError) in
            try store.delete(Self.named(account), groups: [Home.group], request: request)
        }
    }

    /// Adds an item that exists already.
    func addAgain(_ account: String) {
        do throws(KeychainError) {
            _ = try home.opened().add(Self.new(account), group: Home.group, request: Self.request())
            complain("a duplicate of \(account) was added")
        } catch {
            if error.status != .duplicateItem { judge(error, "add again") }
        }
    }

    /// Forgets the answers to all changes so far, in two passes: the first pass notes which answers exist.
    func forgetAnswers() {
        for _ in 0..<2 {
            do throws(KeychainError) { try home.opened().forgetAnswers() } catch { judge(error, "forget answers") }
        }
    }

    /// Looks up one item; the result must be right, or an error.
    func find(_ account: String) {
        var query = Self.named(account)
        query.returns = .data
        do throws(KeychainError) {
            let secrets = try home.opened().find(query, groups: [Home.group]).map { item in
                item.secret.map { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
            }
            let isRight = expectation.states.contains { secrets == ($0.items[account].map { [$0.secret] } ?? []) }
            if !isRight { complain("a look-up of \(account) finds \(secrets.count) items, or another secret") }
        } catch {
            judge(error, "find \(account)")
            look(after: "find \(account)")
        }
    }

    /// Looks up all items; the result must be right, or an error.
    func find() {
        do throws(KeychainError) {
            let items = try home.items()
            if !expectation.states.contains(where: { $0.items == items }) {
                complain("a search shows something else: \(Self.difference(items, state.items))")
            }
        } catch {
            judge(error, "find")
            look(after: "find")
        }
    }

    /// Sets the first passcode, and seals the stored items under the new keys.
    func setPasscode() {
        do throws(KeychainError) {
            guard try home.outcome(SetPasscode(home.opened().identifier), Home.passcode) == .done else {
                return complain("the passcode is not taken")
            }
            while try home.opened().continueResealing() {}
        } catch { judge(error, "set a passcode") }
    }

    /// Unlocks the keychain, which changes nothing. It may fail, and then has to succeed.
    func unlock() {
        let attempt = { [home] () throws(KeychainError) in try home.unlockIfNeeded() }
        do throws(KeychainError) { try attempt() } catch {
            judge(error, "unlock")
            again("unlock", attempt)
        }
    }

    func takeSnapshot() -> String? {
        var name: String?
        let attempt = { [home] () throws(KeychainError) in name = try home.opened().takeSnapshot(.request).name }
        do throws(KeychainError) { try attempt() } catch {
            judge(error, "take a snapshot")
            again("take a snapshot", attempt)
        }
        guard let name else { return nil }
        expectation.snapshots.insert(name)
        pictures[name] = state
        note()
        return name
    }

    func deleteSnapshot(_ name: String) {
        expectation.snapshots.remove(name)
        note()
        let attempt = { [home] () throws(KeychainError) in _ = try home.snapshots.delete(name) }
        do throws(KeychainError) { try attempt() } catch {
            judge(error, "delete a snapshot")
            again("delete a snapshot", or: .itemNotFound, attempt)
        }
        expectation.deleted.insert(name)
        note()
    }

    func restore(_ name: String) {
        var after = pictures[name] ?? state
        (after.programs, after.trust) = (state.programs, state.trust)
        expectation.setAside = expectation.setAside.lowerBound...expectation.setAside.upperBound + 1
        begin([state, after])
        let attempt = { [home] () throws(KeychainError) in try home.restore(name) }
        do throws(KeychainError) { try attempt() } catch {
            judge(error, "restore")
            look(after: "restore")
            expectation.setAside = expectation.setAside.lowerBound...expectation.setAside.upperBound + 2
            again("restore", attempt)
        }
        settle(after)
    }

    /// Continues a recovery to its end.
    func recover() {
        let attempt = { [home] () throws(KeychainError) in
            while try home.opened().continueRecovery() {}
        }
        do throws(KeychainError) { try attempt() } catch {
            judge(error, "recover")
            look(after: "recover")
            again("recover", attempt)
        }
    }

    func replaceKeys() {
        do throws(KeychainError) { try home.replaceKeys() } catch { judge(error, "replace keys") }
    }

    /// Continues resealing for a number of steps, or to its end.
    func reseal(steps: Int = .max) {
        let attempt = { [home] () throws(KeychainError) in
            var left = steps
            while left > 0, try home.opened().continueResealing() { left -= 1 }
        }
        do throws(KeychainError) { try attempt() } catch {
            judge(error, "reseal")
            look(after: "reseal")
            again("reseal", attempt)
        }
        guard steps == .max else { return }
        seam_pause()
        defer { seam_resume() }
        do throws(KeychainError) {
            if try home.opened().resealingProgress() != nil { complain("former keys are still there") }
        } catch { complain("nothing can be opened: \(error.reason)") }
    }

    /// Acknowledges the losses.
    func acknowledge() {
        expectation.reports = [true, false]
        note()
        let attempt = { [home] () throws(KeychainError) in _ = try home.opened().acknowledgeLosses() }
        do throws(KeychainError) { try attempt() } catch {
            judge(error, "acknowledge")
            again("acknowledge", attempt)
        }
        expectation.reports = [false]
        note()
    }

    /// Verifies the whole store.
    func check() {
        let attempt = { [home, weak self] () throws(KeychainError) in
            var position: Int64? = 0
            while let next = position {
                let step = try home.opened().check(from: next)
                if !step.structure.isEmpty || !step.findings.isEmpty {
                    self?.complain("a check finds \(step.structure) \(step.findings)")
                }
                position = step.next
            }
        }
        do throws(KeychainError) { try attempt() } catch {
            judge(error, "check")
            again("check", attempt)
        }
    }

    // MARK: How it is judged

    func change(
        _ what: String, _ edit: (inout ObservedState) -> Void,
        _ body: @escaping (ItemStore, ChangeRequest) throws(KeychainError) -> Void
    ) {
        var after = state
        edit(&after)
        guard let request = try? Self.request() else { return complain("no request") }
        begin([state, after])
        let attempt = { [home] () throws(KeychainError) in try body(try home.opened(), request) }
        do throws(KeychainError) { try attempt() } catch {
            judge(error, what)
            look(after: what)
            again(what, attempt)
        }
        settle(after)
    }

    /// Checks that the status of an error names a fault of the disk or the system.
    func judge(_ error: KeychainError, _ what: String) {
        failures += 1
        if !isFailing || !Self.known.contains(error.status) || error.reason.count < 10 {
            complain("\(what) fails with \(error.status): \(error.reason)")
        }
    }

    /// Checks that the state is the one before or the one after a change, never in between.
    private func look(after what: String) {
        seam_pause()
        defer { seam_resume() }
        do {
            let items = try home.items()
            guard !expectation.states.contains(where: { $0.items == items }) else { return }
            complain("\(what) is half done: \(Self.difference(items, state.items))")
        } catch { complain("after a failed “\(what)” nothing can be found: \(error.status) \(error.reason)") }
    }

    func again(_ what: String, or also: Status? = nil, _ attempt: () throws(KeychainError) -> Void) {
        seam_pause()
        defer { seam_resume() }
        do throws(KeychainError) { try attempt() } catch {
            if error.status != also { complain("\(what) fails once more: \(error.status) \(error.reason)") }
        }
    }

    static func difference(_ found: [String: Item], _ expected: [String: Item]) -> String {
        let names = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }.sorted()
        return names.map { name in
            func text(_ item: Item?) -> String { item.map { "“\($0.secret.prefix(12))” “\($0.label)”" } ?? "nothing" }
            return "\(name): \(text(found[name])) instead of \(text(expected[name]))"
        }.joined(separator: ", ")
    }

    static func new(_ account: String) -> NewItem {
        var item = NewItem(itemClass: .genericPassword)
        item.attributes[.service] = .text(Home.service)
        item.attributes[.account] = .text(account)
        return item
    }

    static func named(_ account: String? = nil) -> ItemQuery {
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes[.service] = .text(Home.service)
        query.attributes[.account] = account.map { .text($0) }
        query.synchronizable = .any
        return query
    }

    static func request() throws(KeychainError) -> ChangeRequest {
        try ChangeRequest(
            name: ItemIdentifier().bytes + ItemIdentifier().bytes,
            digest: [UInt8](repeating: 2, count: ChangeRequest.digestByteCount))
    }
}
