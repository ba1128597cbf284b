import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Foundation
import Sealing
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Items with an access control, as far as no constraint has to be satisfied (behaviour/access-control.md, 20 to 31).
@Suite struct ConstrainedItemTests {
    let fixture = StoreFixture()
    var keys: FakeKeySource { fixture.keys }

    static let flags: [AccessControlFlags] = [
        [], [.userPresence], [.devicePasscode], [.biometryAny], [.biometryCurrentSet], [.companion],
        [.devicePasscode, .biometryCurrentSet, .or], [.devicePasscode, .biometryAny, .companion, .and],
        [.applicationPassword], [.userPresence, .applicationPassword], [.privateKeyUsage],
        [.privateKeyUsage, .userPresence],
    ]

    static func constraints(_ index: Int) throws -> AccessConstraints { try AccessConstraints(flags[index]) }

    func item(_ index: Int, secret: String? = "secret") throws -> NewItem {
        let constraints = try Self.constraints(index)
        return .password("constrained", "\(index)", secret: secret, returns: .attributes).with {
            $0.accessibility = .whenUnlocked
            $0.constraints = constraints
        }
    }

    func query(_ account: String, returns: ReturnTypes = .attributes) -> ItemQuery {
        .password("constrained", account, returns: returns)
    }

    /// A store with an item for each set of flags, and one without any.
    func filled() throws -> ItemStore {
        let store = try fixture.open()
        for index in Self.flags.indices { try store.add(try item(index, secret: "secret \(index)")) }
        try store.add(.password("constrained", "plain", secret: "plain").with { $0.accessibility = .whenUnlocked })
        return store
    }

    func row(_ store: ItemStore, _ account: String) throws -> OpenedRow {
        let plan = SearchPlan(
            query(account), groups: [StoreFixture.group], digests: store.digests, wantsAttributes: true,
            wantsSecret: true, maximum: 1)
        return try #require(try store.search(plan).rows.first)
    }

    /// The secret, as a caller who satisfied the constraints would get it.
    func secret(_ store: ItemStore, _ account: String, at place: RowContext? = nil) throws -> String? {
        let row = try row(store, account)
        let sealed = try #require(row.secret)
        let wrapped = WrappedRowKey(
            classKeyID: try #require(sealed.classKeyID), wrapped: sealed.rowKey, context: place ?? row.secretContext)
        let use = KeyUse(ContextReference(number: 1, principal: Bytes16(repeating: 1)), for: .decrypt)
        let rowKeys = try keys.openRowKeys([wrapped], for: use, in: store.identifier)
        var cipher: SealingKey?
        guard
            case .secret(let content?) = try store.sealer.open(
                sealed, at: wrapped.context, with: rowKeys, 0, by: &cipher)
        else { return nil }
        return content.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    func expectWhole(_ store: ItemStore) throws {
        for index in Self.flags.indices {
            let found = try #require(try store.find(query("\(index)")).first)
            #expect(found.constraints == (try Self.constraints(index)) && found.accessibility == .whenUnlocked)
            #expect(try secret(store, "\(index)") == "secret \(index)")
        }
        let plain = try #require(try store.find(query("plain", returns: [.attributes, .data])).first)
        #expect(plain.constraints == nil && plain.password == "plain")
    }

    // MARK: What is kept, and what is found

    @Test func theyComeBackAsTheyWent() throws {
        let store = try fixture.open()
        for index in Self.flags.indices {
            let added = try store.add(try item(index, secret: "secret \(index)"))
            #expect(added.constraints == (try Self.constraints(index)), "\(Self.flags[index].words)")
        }
        try store.add(.password("constrained", "plain", secret: "plain").with { $0.accessibility = .whenUnlocked })
        try expectWhole(store)
        store.retire()
        try expectWhole(try fixture.open())
        // A search for a reference, or for nothing, does not return the constraints.
        #expect(try fixture.open().find(query("1", returns: .persistentReference)).first?.constraints == nil)
    }

    @Test func secretsThatNeedSomethingAreRefused() throws {
        let store = try filled()
        for index in Self.flags.indices {
            let constraints = try Self.constraints(index)
            if constraints.constrains(.decrypt) {
                expect(.authFailed) { _ = try store.find(query("\(index)", returns: .data)) }
                expect(.authFailed) { _ = try store.find(query("\(index)", returns: [.data, .attributes])) }
            } else {
                #expect(try store.find(query("\(index)", returns: .data)).first?.password == "secret \(index)")
            }
        }
        // One constrained item among several ends the search, as a locked item does.
        expect(.authFailed) {
            _ = try store.find(ItemQuery.password("constrained", returns: .data).with { $0.limit = .all })
        }
        let all = try store.find(ItemQuery.password("constrained", returns: .attributes).with { $0.limit = .all })
        #expect(all.count == Self.flags.count + 1)
    }

    /// Only the custodian can tell that what was given does not satisfy a constraint (behaviour/presence.md, 5).
    @Test func aSearchThatSkipsLeavesOutWhatIsRefused() throws {
        let store = try filled()
        let open = try Self.flags.indices.filter { try !Self.constraints($0).constrains(.decrypt) }
        let query = ItemQuery.password("constrained", returns: .data).with {
            $0.authenticationUI = .skip
            $0.limit = .all
        }
        #expect(
            Set(try store.find(query).map(\.password)) == Set(open.map { "secret \($0)" } + ["plain"]))
        // The search goes on for others up to its limit.
        for limit in [1, 2, open.count + 1] {
            let found = try store.find(query.with { $0.limit = MatchLimit(limit) })
            #expect(found.count == limit && found.allSatisfy { $0.password != nil })
        }
        let index = try #require(Self.flags.indices.first { !open.contains($0) })
        #expect(try store.find(self.query("\(index)", returns: .data).with { $0.authenticationUI = .skip }).isEmpty)
    }

    @Test func aRepeatedAdditionIsAnsweredAsTheFirst() throws {
        let store = try fixture.open()
        let request = try ChangeRequest.fresh()
        for _ in 0..<2 {
            let item = try item(1).with { $0.returns = [.data, .attributes] }
            let added = try store.add(item, group: StoreFixture.group, request: request)
            #expect(try added.password == "secret" && added.constraints == Self.constraints(1))
        }
        #expect(try store.integer("SELECT count(*) FROM items") == 1)
    }

    @Test func anItemWithoutASecretHasThem() throws {
        let store = try fixture.open()
        try store.add(try item(1, secret: nil))
        let found = try #require(try store.find(query("1", returns: [.data, .attributes])).first)
        #expect(try found.secret == nil && found.constraints == Self.constraints(1))
        try store.update(query("1"), .secret("now"))
        #expect(try secret(store, "1") == "now")
        expect(.authFailed) { _ = try store.find(query("1", returns: .data)) }
    }

    @Test func aSearchComparesClassAndConstraints() throws {
        let store = try filled()
        try store.add(.password("constrained", "late", secret: "l").with { $0.accessibility = .afterFirstUnlock })
        func accounts(_ scope: ConstraintScope, _ accessibility: Accessibility = .whenUnlocked) throws -> [String] {
            let search = ItemQuery.password("constrained", returns: .attributes).with {
                $0.limit = .all
                $0.accessibility = accessibility
                $0.constraints = scope
            }
            return try store.find(search).compactMap {
                if case .text(let account)? = $0.attributes[.account] { account } else { nil }
            }.sorted()
        }
        for index in Self.flags.indices {
            #expect(try accounts(.exactly(try Self.constraints(index))) == ["\(index)"])
            #expect(try accounts(.exactly(try Self.constraints(index)), .always).isEmpty)
        }
        #expect(try accounts(.unconstrained) == ["plain"])
        #expect(try accounts(.any).count == Self.flags.count + 1)
        #expect(try accounts(.unconstrained, .afterFirstUnlock) == ["late"])
        try store.delete(
            ItemQuery.password("constrained").with {
                $0.accessibility = .whenUnlocked
                $0.constraints = .unconstrained
            })
        #expect(try accounts(.any).count == Self.flags.count)
    }

    @Test func theyAreNoPartOfTheUniqueKey() throws {
        let store = try filled()
        expect(.duplicateItem) {
            try store.add(.password("constrained", "1", secret: "x"))
        }
        expect(.duplicateItem) { try store.add(try item(2)) }
    }

    @Test func whatBindingFillsInComesFromNobodyOutside() throws {
        let store = try fixture.open()
        var bound = AccessConstraints()
        bound.operations[.decrypt] = .biometryCurrentSet(Bytes16(repeating: 7))
        let added = try store.add(
            .password("constrained", "bound", secret: "b", returns: .attributes).with {
                $0.accessibility = .whenUnlocked
                $0.constraints = bound
            })
        #expect(added.constraints == bound.unbound)
        #expect(try row(store, "bound").context.constraints == bound.unbound)
    }

    // MARK: Changes

    func sealed(_ store: ItemStore, _ account: String) throws -> SealedSecret? {
        try row(store, account).secret
    }

    private func change(
        _ constraints: AccessConstraints?, _ accessibility: Accessibility = .whenUnlocked, secret: String? = nil
    ) -> ItemChange {
        ItemChange().with {
            $0.accessibility = accessibility
            $0.constraints = constraints
            $0.secret = secret.map { SecretBytes($0.utf8) }
        }
    }

    @Test func aChangeOfAttributesLeavesTheSecretAsItIs() throws {
        let store = try filled()
        for index in Self.flags.indices {
            let before = try sealed(store, "\(index)")
            try store.update(query("\(index)"), .label("changed"))
            #expect(try sealed(store, "\(index)") == before)
            // An update with the same access control leaves the seal as it is.
            try store.update(query("\(index)"), change(try Self.constraints(index)))
            #expect(try sealed(store, "\(index)") == before)
        }
        try expectWhole(store)
    }

    @Test func anUpdateAddsExchangesAndRemovesThem() throws {
        let store = try fixture.open()
        try store.add(.password("constrained", "a", secret: "first").with { $0.accessibility = .whenUnlocked })
        let free = try AccessConstraints([])
        let presence = try AccessConstraints([.userPresence])
        for constraints in [free, presence] {
            let before = try sealed(store, "a")
            try store.update(query("a"), change(constraints))
            #expect(try store.find(query("a")).first?.constraints == constraints)
            #expect(try sealed(store, "a") != before && secret(store, "a") == "first")
        }
        // A secret that cannot be opened is not sealed anew.
        expect(.authFailed) { try store.update(query("a"), change(nil)) }
        expect(.authFailed) { try store.update(query("a"), change(free, .afterFirstUnlock)) }
        #expect(try store.find(query("a")).first?.constraints == presence)
        try store.update(query("a"), change(try AccessConstraints([.devicePasscode]), .always, secret: "second"))
        let found = try #require(try store.find(query("a")).first)
        #expect(found.accessibility == .always)
        #expect(found.constraints == (try AccessConstraints([.devicePasscode])))
        #expect(try secret(store, "a") == "second")
        // A protection class without constraints removes them.
        try store.update(query("a"), change(nil, .whenUnlocked, secret: "third"))
        #expect(try store.find(query("a", returns: [.data, .attributes])).first?.password == "third")
        #expect(try store.find(query("a")).first?.constraints == nil)
    }

    @Test func theyStayOnThisDevice() throws {
        let store = try fixture.open()
        try store.add(try item(1))
        try store.add(try item(0))
        try store.add(.password("constrained", "cloud", secret: "c").with { $0.isSynchronizable = true })
        let everywhere = ItemChange().with { $0.isSynchronizable = true }
        expect(.param) { try store.update(query("1"), everywhere) }
        expect(.param) {
            try store.update(
                query("cloud").with { $0.synchronizable = .any }, change(try Self.constraints(1), secret: "x"))
        }
        #expect(try store.find(query("1")).first?.isSynchronizable == false)
        // An access control without flags constrains nothing, so the item may be synchronizable.
        try store.update(query("0"), everywhere)
        let shared = query("0").with { $0.synchronizable = .synchronizable }
        #expect(try store.find(shared).first?.constraints == (try Self.constraints(0)))
        try store.delete(shared)
        let again = try item(0, secret: "again").with { $0.isSynchronizable = true }
        try store.add(again)
        #expect(try store.find(shared.with { $0.returns = [.data, .attributes] }).first?.password == "again")
    }
}
