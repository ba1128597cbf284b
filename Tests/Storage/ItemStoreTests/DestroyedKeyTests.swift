import ChatelaineModel
import StoreEngine
import Testing

@testable import ItemStore

/// Items whose metadata key the keybag has destroyed, as it does with those of the passcode class when the passcode is removed; and keys
/// that are forgotten while somebody waits for one.
struct DestroyedKeyTests {
    private let fixture = StoreFixture()

    private func item(_ account: String, _ accessibility: Accessibility) -> NewItem {
        NewItem.password("service", account, secret: "secret", returns: .data).with { $0.accessibility = accessibility }
    }

    /// Three of the passcode class and one of another, all keys of the former destroyed.
    private func prepared() throws -> ItemStore {
        let store = try fixture.open()
        for account in ["a", "b", "c"] { _ = try store.add(item(account, .whenPasscodeSetThisDeviceOnly)) }
        _ = try store.add(item("other", .whenUnlocked))
        fixture.keys.state.withLock { state in
            state.destroyed = [state.current[.whenPasscodeSetThisDeviceOnly] ?? 0]
            state.current[.whenPasscodeSetThisDeviceOnly] = nil
        }
        store.forgetKeys()
        return store
    }

    private func rows(_ store: ItemStore) throws -> Int { try store.integer("SELECT count(*) FROM items") }

    @Test func theyAreDeletedTogether() throws {
        let store = try prepared()
        #expect(try store.purgeDestroyed() == 3)
        #expect(try rows(store) == 1)
        #expect(try store.purgeDestroyed() == 0)
        #expect(try store.find(item("other", .whenUnlocked).query).first?.password == "secret")
        #expect(fixture.quarantined().isEmpty)
        // As any deletion does, it leaves a store that is whole.
        #expect(try store.verifyRows().isEmpty)
        #expect(try store.losses().isEmpty)
    }

    /// Where the process ended between the keys and the rows, whoever meets one finds nothing, and it is gone.
    @Test func whoMeetsOneFindsNothing() throws {
        let meetings: [(ItemStore, NewItem) throws -> Void] = [
            { store, item in
                let found = try store.find(item.query)
                #expect(found.isEmpty)
            },
            { store, item in
                var change = ItemChange()
                change.attributes[.label] = .text("x")
                do { try store.update(item.query, change) } catch {
                    #expect((error as? KeychainError)?.status == .itemNotFound)
                }
            },
            { store, item in
                do { try store.delete(item.query) } catch {
                    #expect((error as? KeychainError)?.status == .itemNotFound)
                }
            },
            // Nothing is in the way of the next one.
            { store, item in _ = try store.add(item.with { $0.accessibility = .always }) },
        ]
        for (index, meet) in meetings.enumerated() {
            let tests = DestroyedKeyTests()
            let store = try tests.prepared()
            try meet(store, tests.item("b", .whenPasscodeSetThisDeviceOnly))
            #expect(try tests.rows(store) == (index == 3 ? 2 : 1))
            #expect(tests.fixture.quarantined().isEmpty)
        }
    }

    /// Those of a passcode that was set since are others.
    @Test func itemsOfTheNextPasscodeStay() throws {
        let store = try prepared()
        _ = try store.add(item("new", .whenPasscodeSetThisDeviceOnly))
        #expect(try store.purgeDestroyed() == 3)
        #expect(try store.find(item("new", .whenPasscodeSetThisDeviceOnly).query).first?.password == "secret")
    }

    /// A key that was on its way when it was locked is not kept.
    @Test func aKeyThatComesAfterALockIsNotKept() throws {
        let store = try fixture.open()
        _ = try store.add(item("a", .whenUnlocked))
        store.forgetKeys()
        let keys = fixture.keys
        keys.state.withLock {
            $0.afterOpening = {
                keys.state.withLock { $0.locked = [.whenUnlocked] }
                store.forgetKeys()
            }
        }
        #expect(throws: KeychainError(.interactionNotAllowed, "")) { try store.find(item("a", .whenUnlocked).query) }
        #expect(store.metadataKeys.all.isEmpty)
    }

    /// All who keep keys of a source forget them together, stores that are opened later as well.
    @Test func holdersForgetTogether() throws {
        let holders = KeyHolders()
        let first = MetadataKeys(fixture.keys, of: StoreIdentifier())
        let second = MetadataKeys(fixture.keys, of: StoreIdentifier())
        for keys in [first, second] {
            holders.add(keys)
            _ = try keys.forSealing(.whenUnlocked)
            #expect(!keys.all.isEmpty)
        }
        holders.forgetKeys()
        #expect(first.all.isEmpty && second.all.isEmpty)
    }
}
