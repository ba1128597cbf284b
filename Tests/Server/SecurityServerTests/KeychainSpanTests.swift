import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation
import Testing

@testable import SecurityServer

/// Tests of changes of items in several file keychains: all of them or none (behaviour/keychain-items.md, 65).
@Suite struct KeychainSpanTests {
    private let home: KeychainItemHome

    init() throws {
        home = try KeychainItemHome(keychains: ["a", "b"])
        for name in ["a", "b"] { try home.add("ada", "of \(name)", to: name) }
    }

    private static func change(label: String = "changed", account: String? = nil) -> ItemChange {
        var change = ItemChange()
        change.attributes[.label] = .text(label)
        if let account { change.attributes[.account] = .text(account) }
        return change
    }

    private func expectUnchanged(_ account: String = "ada") throws {
        let found = try home.find(account, in: ["a", "b"], returning: .attributes)
        #expect(found.count == 2 && found.allSatisfy { $0.item.attributes[.label] != .text("changed") })
    }

    @Test func aLockedOneKeepsTheOthersAsTheyAre() throws {
        try home.lock("b")
        for names in [["a", "b"], ["b", "a"]] {
            #expect(throws: KeychainError(.authFailed, "")) { try home.update("ada", Self.change(), in: names) }
            #expect(throws: KeychainError(.authFailed, "")) { try home.delete("ada", in: names) }
            // Nothing happens before a person has given the password.
            #expect(throws: KeychainError(cause: .needsPerson, "")) {
                try home.delete("ada", in: names, ui: .allow)
            }
        }
        try expectUnchanged()
        try home.unlock("b")
        try home.update("ada", Self.change(label: "new"), in: ["a", "b"])
        let found = try home.find("ada", in: ["a", "b"], returning: .attributes)
        #expect(found.map { $0.item.attributes[.label] } == [.text("new"), .text("new")])
        try home.delete("ada", in: ["a", "b"])
        #expect(throws: KeychainError(.itemNotFound, "")) { try home.find("ada", in: ["a", "b"]) }
    }

    @Test func aRightThatIsMissingInOneKeepsTheOthersAsTheyAre() throws {
        try home.add("bob", "of a", to: "a")
        try home.add("bob", "of b", to: "b", as: .program("game"))
        #expect(throws: KeychainError(.invalidOwnerEdit, "")) { try home.delete("bob", in: ["a", "b"]) }
        #expect(throws: KeychainError(.authFailed, "")) { try home.update("bob", Self.change(), in: ["a", "b"]) }
        try expectUnchanged("bob")
    }

    @Test func aCollisionInOneKeepsTheOthersAsTheyAre() throws {
        try home.add("bob", "in the way", to: "b")
        #expect(throws: KeychainError(.duplicateItem, "")) {
            try home.update("ada", Self.change(account: "bob"), in: ["a", "b"])
        }
        try expectUnchanged()
    }

    @Test func anItemThatIsNamedIsChangedBesideADamagedOne() throws {
        let item = try home.find("ada", in: ["a"])[0]
        try home.lock("b")
        try Data("no keychain any more".utf8).write(to: URL(filePath: home.path("b")))
        let scope = KeychainScope(paths: ["a", "b"].map(home.path), items: [item.reference])
        _ = try home.answer(
            DeleteKeychainItems(ItemQuery(itemClass: .genericPassword), in: scope, asksPerson: false),
            as: .program("mail"), KeychainItemHandler.delete)
        #expect(throws: KeychainError(.itemNotFound, "")) { try home.find("ada", in: ["a"]) }
    }

    /// Nobody hears of what was only tried.
    @Test func eachItemIsToldOfOnce() throws {
        let slot = try TestConnection().slot
        try home.services.keychainEvents.subscribe(slot)
        let queue = try #require(home.services.keychainEvents.list.member(of: slot)?.queue)
        func heard() -> [KeychainEvent.Kind] {
            var kinds: [KeychainEvent.Kind] = []
            while let event = queue.next() { kinds.append(event.kind) }
            return kinds
        }
        #expect(throws: KeychainError(.authFailed, "")) {
            try home.add("bob", "of b", to: "b", as: .program("game"))
            try home.add("bob", "of a", to: "a")
            _ = heard()
            try home.update("bob", Self.change(), in: ["a", "b"])
        }
        #expect(heard().isEmpty)
        try home.update("ada", Self.change(), in: ["a", "b"])
        #expect(heard() == [.itemUpdated, .itemUpdated])
        try home.delete("ada", in: ["a", "b"])
        #expect(heard() == [.itemDeleted, .itemDeleted])
    }
}
