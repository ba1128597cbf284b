import ChatelaineModel
import StoreEngine
import Testing

@testable import ItemStore

/// Items disappear with their metadata key when the keybag destroys it, as it does for the passcode class when the
/// passcode is removed.
///
/// Keys that are forgotten while a caller waits for one are not kept.
struct DestroyedKeyTests {
    private let fixture = StoreFixture()

    private func item(_ account: String, _ accessibility: Accessibility) -> NewItem {
        NewItem.password("service", account, secret: "secret", returns: .data).with { $0.accessibility = accessibility }
    }

    /// A store with three items of the passcode class, whose keys are destroyed, and one item of another class.
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
        // The purge leaves a whole store, as any deletion does.
        #expect(try store.verifyRows().isEmpty)
        #expect(try store.losses().isEmpty)
    }

    /// If the process ended after the keys were destroyed and before the rows were deleted, the next access finds no
    /// item and deletes the row.
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
            // The row is no obstacle to a new item.
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

    /// Items of a passcode that was set later have other keys.
    @Test func itemsOfTheNextPasscodeStay() throws {
        let store = try prepared()
        _ = try store.add(item("new", .whenPasscodeSetThisDeviceOnly))
        #expect(try store.purgeDestroyed() == 3)
        #expect(try store.find(item("new", .whenPasscodeSetThisDeviceOnly).query).first?.password == "secret")
    }

    /// A key that was on its way when its class was locked is not kept.
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

    /// All holders of a source's keys forget them together, including stores that are opened later.
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
