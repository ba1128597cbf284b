import ChatelaineMemory
import ChatelaineModel
import Testing

@testable import ChatelaineIPC
@testable import SecurityServer

/// A client asks again where the daemon ended before its answer, which left the file keychain locked
/// (behaviour/durability.md, 3).
@Suite struct RepeatedKeychainRequestTests {
    private let home: KeychainItemHome
    private var scope: KeychainScope { KeychainScope(paths: [home.path("a")]) }

    init() throws { home = try KeychainItemHome() }

    private func query(_ account: String) -> ItemQuery {
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes[.account] = .text(account)
        query.authenticationUI = .fail
        return query
    }

    @Test func aDeletionIsAnsweredAgain() throws {
        try home.add("ada", "secret")
        let request = DeleteKeychainItems(query("ada"), in: scope, asksPerson: false)
        _ = try home.answer(request, as: .program("mail"), KeychainItemHandler.delete)
        try home.lock("a")
        _ = try home.answer(request, as: .program("mail"), KeychainItemHandler.delete)
        // Another request finds nothing, and the same from another program was never answered.
        #expect(throws: KeychainError(.itemNotFound, "")) { try home.delete("ada") }
        #expect(throws: KeychainError(.itemNotFound, "")) {
            _ = try home.answer(request, as: .program("game"), KeychainItemHandler.delete)
        }
    }

    @Test func anUpdateIsAnsweredAgain() throws {
        try home.add("ada", "secret")
        var change = ItemChange()
        change.attributes[.account] = .text("bob")
        let request = UpdateKeychainItems(query("ada"), change, in: scope)
        _ = try home.answer(request, as: .program("mail"), KeychainItemHandler.update)
        try home.lock("a")
        _ = try home.answer(request, as: .program("mail"), KeychainItemHandler.update)
        #expect(throws: KeychainError(.authFailed, "")) { try home.update("bob", change) }
    }

    @Test func anAdditionIsAnsweredAgain() throws {
        var item = NewItem(itemClass: .genericPassword)
        item.attributes[.service] = .text("service")
        item.attributes[.account] = .text("ada")
        item.secret = SecretBytes("secret".utf8)
        item.authenticationUI = .fail
        item.returns = [.attributes, .data]
        let request = AddKeychainItem(item, to: home.path("a"))
        let first = try home.answer(request, as: .program("mail"), KeychainItemHandler.add)
        try home.lock("a")
        let again = try home.answer(request, as: .program("mail"), KeychainItemHandler.add)
        #expect(again.reference == first.reference && again.path == first.path)
        #expect(again.item.secret?.count == 6 && again.item.encodedAttributes != nil)
        #expect(throws: KeychainError(.authFailed, "")) { try home.add("bob", "other") }
        try home.unlock("a")
        #expect(try home.secrets("ada") == ["secret"])
    }
}
