import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Foundation
import Glibc
import TestSupport
import Testing

@testable import ChatelaineIPC
@testable import SecurityServer

/// Items of file keychains behave as in rows of D.4, D.5 and E.1 (behaviour/keychain-items.md).
@Suite struct KeychainItemTests {
    @Test func itsCreatorReadsAnItemAndOthersDoNot() throws {
        let home = try KeychainItemHome()
        let added = try home.add("ada", "secret")
        #expect(added.isVerified && added.path == home.path("a"))
        #expect(try home.secrets("ada") == ["secret"])
        // Everybody can read names.
        let other = Caller.program("game")
        #expect(try home.find("ada", as: other, returning: .attributes).count == 1)
        #expect(throws: KeychainError(.authFailed, "")) { try home.secrets("ada", as: other) }
        #expect(throws: KeychainError(.itemNotFound, "")) { try home.find("bob") }
        // A program at the same path with other content is another program.
        #expect(throws: KeychainError(.authFailed, "")) { try home.secrets("ada", as: .program("mail", digest: 1)) }
        // A program with the same content at another path is the same.
        #expect(try home.secrets("ada", as: .program("moved", digest: added.digestOfMail)) == ["secret"])
        #expect(throws: KeychainError(cause: .needsPerson, "")) { try home.secrets("ada", as: other, ui: .allow) }
        #expect(throws: KeychainError(.itemNotFound, "")) { try home.secrets("ada", as: other, ui: .skip) }
    }

    @Test func programsThatNobodyCanBeSureOfAreAskedAbout() throws {
        let home = try KeychainItemHome()
        for caller in [
            Caller.program("script", assurance: .shared), .program("script", assurance: .degraded),
            .program("script", state: .development),
        ] {
            let item = try home.add("\(caller.identity.assurance) \(caller.identity.state)", "x", as: caller)
            let account = try #require(
                item.item.attributes[.account].flatMap { if case .text(let text) = $0 { text } else { nil } })
            #expect(throws: KeychainError(.authFailed, "")) { try home.secrets(account, as: caller) }
            #expect(throws: KeychainError(cause: .needsPerson, "")) {
                try home.secrets(account, as: caller, ui: .allow)
            }
        }
    }

    @Test func theDefaultLabelIsTheService() throws {
        let home = try KeychainItemHome()
        let added = try home.add("ada", "x")
        #expect(added.item.attributes[.label] == .text("service"))
        let access = try home.access(of: added)
        #expect(access.entries.contains { $0.subject.description == "service" })
        #expect(access.partitionList?.identifiers.count == 1)
    }

    @Test func aDuplicateIsRefused() throws {
        let home = try KeychainItemHome()
        try home.add("ada", "x")
        #expect(throws: KeychainError(.duplicateItem, "")) { try home.add("ada", "y") }
        #expect(throws: KeychainError(.duplicateItem, "")) { try home.add("ada", "y", as: .program("game")) }
    }

    @Test func aLockedKeychainTellsNamesAndNothingElse() throws {
        let home = try KeychainItemHome()
        let added = try home.add("ada", "secret")
        try home.lock("a")
        let found = try home.find("ada", returning: .attributes)
        #expect(found.count == 1 && !found[0].isVerified && found[0].reference == added.reference)
        #expect(found[0].item.attributes[.service] == .text("service"))
        #expect(throws: KeychainError(.authFailed, "")) { try home.secrets("ada") }
        #expect(throws: KeychainError(.itemNotFound, "")) { try home.secrets("bob") }
        #expect(throws: KeychainError(.itemNotFound, "")) { try home.secrets("ada", ui: .skip) }
        #expect(throws: KeychainError(.authFailed, "")) { try home.add("bob", "x") }
        #expect(throws: KeychainError(.authFailed, "")) { try home.update("ada", ItemChange()) }
        #expect(throws: KeychainError(.authFailed, "")) { try home.delete("ada") }
        #expect(throws: KeychainError(.authFailed, "")) { try home.access(of: added) }
        #expect(throws: KeychainError(.itemNotFound, "")) { try home.delete("bob") }
        try home.unlock("a")
        #expect(try home.secrets("ada") == ["secret"])
    }

    @Test func severalKeychainsAreSearchedInTheirOrder() throws {
        let home = try KeychainItemHome(keychains: ["a", "b", "c"])
        for name in ["a", "b", "c"] { try home.add("ada", "of \(name)", to: name) }
        #expect(try home.secrets("ada", in: ["c", "a", "b"]) == ["of c", "of a", "of b"])
        try home.lock("b")
        let items = try home.find("ada", in: ["c", "b", "none", "a"], returning: .attributes)
        #expect(items.map(\.path) == ["c", "b", "a"].map(home.path))
        #expect(throws: KeychainError(.noSuchKeychain, "")) { try home.find("ada", in: ["none"]) }
        #expect(throws: KeychainError(.itemNotFound, "")) { try home.find("ada", in: ["none", "nowhere"]) }
        // A missing item among the named ones is passed over.
        #expect(
            try home.find(
                nil, in: ["a", "b", "c"], returning: .attributes, items: [items[1].reference, items[0].reference]
            )
            .map(\.path) == ["b", "c"].map(home.path))
    }

    @Test func oneThatIsDamagedKeepsNobodyFromTheOthers() throws {
        let home = try KeychainItemHome(keychains: ["a", "b", "c"])
        for name in ["a", "b", "c"] { try home.add("ada", "of \(name)", to: name) }
        try home.lock("b")
        try Data("no keychain any more".utf8).write(to: URL(filePath: home.path("b")))
        #expect(try home.secrets("ada", in: ["a", "b", "c"]) == ["of a", "of c"])
        #expect(throws: KeychainError(.invalidKeychain, "")) { try home.find("bob", in: ["a", "b", "c"]) }
        #expect(throws: KeychainError(.invalidKeychain, "")) { try home.find("ada", in: ["b"]) }
        // A success means that all matching items are deleted, so the unreadable keychain makes the deletion fail.
        #expect(throws: KeychainError(.invalidKeychain, "")) { try home.delete("ada", in: ["a", "b", "c"]) }
        #expect(try home.secrets("ada", in: ["a", "c"]) == ["of a", "of c"])
    }

    /// The machine's keychain is in every search list, but is not opened here.
    @Test func whatTheSearchListNamesElsewhereIsPassedOver() throws {
        let home = try KeychainItemHome()
        let list = try home.services.searchList()
        #expect(list.count == 1 && !list[0].hasPrefix(home.home.folder.path))
        #expect(throws: KeychainError(.itemNotFound, "")) { try home.find("ada", in: []) }
        #expect(throws: KeychainError(.itemNotFound, "")) { try home.delete("ada", in: []) }
    }

    @Test func itemsAreChangedByProgramsOfTheirPartitions() throws {
        let home = try KeychainItemHome()
        try home.add("ada", "old")
        var change = ItemChange()
        change.secret = SecretBytes(Array("new".utf8))
        change.attributes[.label] = .text("renamed")
        #expect(throws: KeychainError(.authFailed, "")) { try home.update("ada", change, as: .program("game")) }
        try home.update("ada", change)
        #expect(try home.secrets("ada") == ["new"])
        #expect(try home.find("ada", returning: .attributes)[0].item.attributes[.label] == .text("renamed"))
        #expect(throws: KeychainError(.invalidOwnerEdit, "")) { try home.delete("ada", as: .program("game")) }
        #expect(throws: KeychainError(cause: .needsPerson, "")) {
            try home.delete("ada", as: .program("game"), asksPerson: true, ui: .allow)
        }
        try home.delete("ada")
        #expect(throws: KeychainError(.itemNotFound, "")) { try home.delete("ada") }
    }

    @Test func whatBelongsToTheOtherKeychainIsRefused() throws {
        let home = try KeychainItemHome()
        var change = ItemChange()
        change.accessGroup = "g"
        #expect(throws: KeychainError(.param, "")) { try home.update("ada", change) }
    }

    // MARK: Access objects

    @Test func anAccessObjectIsChangedByItsOwnerEntryAlone() throws {
        let home = try KeychainItemHome()
        let item = try home.add("ada", "x")
        // The default owner entry lists no program.
        #expect(throws: KeychainError(.authFailed, "")) { try home.setAccess(.open, of: item) }
        #expect(throws: KeychainError(cause: .needsPerson, "")) { try home.setAccess(.open, of: item, ui: .allow) }
        let open = try home.add("bob", "x", access: .open)
        try home.setAccess(.default(descriptor: "d", trusted: []), of: open)
        #expect(throws: KeychainError(.authFailed, "")) { try home.secrets("bob") }
        #expect(try home.access(of: open).partitionList != nil, "the partition list stays")
    }

    @Test func anItemOfTheUsersProcessesIsOfItsPartitionsAllTheSame() throws {
        let home = try KeychainItemHome()
        func access(_ rule: ProcessOwner.Rule, _ user: UInt32, _ group: UInt32) throws -> AccessObject {
            let owner = try #require(ProcessOwner(rule, user: user, group: group))
            return AccessObject(
                owner: ACLEntry([.changeACL], .processes(owner)), entries: [ACLEntry([.any], .processes(owner))])
        }
        _ = try home.add("ada", "x", access: try access(.user, geteuid(), 0))
        #expect(try home.secrets("ada") == ["x"])
        #expect(throws: KeychainError(.authFailed, "")) { try home.secrets("ada", as: .program("game")) }
        #expect(throws: KeychainError(cause: .needsPerson, "")) {
            try home.secrets("ada", as: .program("game"), ui: .allow)
        }
        _ = try home.add("bob", "y", access: try access(.user, geteuid() + 1, 0))
        #expect(throws: KeychainError(.authFailed, "")) { try home.secrets("bob") }
        // The programs of these tests run as group 100.
        _ = try home.add("cyd", "z", access: try access(.group, 0, 100))
        #expect(try home.secrets("cyd") == ["z"])
    }

    @Test func thePartitionListChangesWithThePasswordAlone() throws {
        let home = try KeychainItemHome()
        let open = try home.add("bob", "x", access: .open)
        let other = Caller.program("game")
        #expect(throws: KeychainError(.authFailed, "")) { try home.secrets("bob", as: other) }
        var access = try home.access(of: open)
        let list = PartitionList([try #require(PartitionID("apple-tool:"))] + (other.partition.map { [$0] } ?? []))
        access = access.partitioned(list)
        #expect(throws: KeychainError(.authFailed, "")) { try home.setAccess(access, of: open) }
        #expect(try home.setAccess(access, of: open, password: "wrong") == .wrong)
        #expect(throws: KeychainError(.authFailed, "")) { try home.secrets("bob", as: other) }
        #expect(try home.setAccess(access, of: open, password: "a") == .done)
        #expect(try home.secrets("bob", as: other) == ["x"])
        // The creator no longer belongs to any partition.
        #expect(throws: KeychainError(.authFailed, "")) { try home.secrets("bob") }
        try home.lock("a")
        #expect(try home.setAccess(.default(descriptor: "d", trusted: []), of: open, password: "a") == .done)
        #expect(throws: KeychainError(.authFailed, "")) { try home.secrets("bob", as: other) }
    }

    /// A keychain that somebody else opens meanwhile takes any password, which proves nothing.
    @Test func whoeverUnlocksMeanwhileProvesNothingForOthers() throws {
        let home = try KeychainItemHome()
        let item = try home.add("bob", "x")
        try home.lock("a")
        let (keychains, enclave, store) = (home.services.fileKeychains, home.home.enclave, item.reference.keychain)
        let path = try keychains.path(home.path("a"))
        let unlock = Work {
            try KeychainItemHome.with("a") { file in
                try keychains.withKeychain(at: path) { (keychain) throws(KeychainError) in
                    try keychain.unlock(password: file, from: .agent)
                }
            }.outcome
        }
        try until("the password is compared") {
            enclave.monitor.withLock { _ in enclave.unlocks.isUnderWay(store) }
        }
        #expect(try home.setAccess(.open, of: item, password: "wrong") == .wrong)
        #expect(try unlock.value() == .done)
        #expect(try home.access(of: item).owner.subject != .any)
        #expect(try home.setAccess(.open, of: item, password: "a") == .done)
    }

    /// Otherwise *Change All* after its password would reach every keychain.
    @Test func theLoginKeychainThatOthersOpenHasNotThePasscode() throws {
        let home = try KeychainItemHome()
        let item = try home.add("bob", "x")
        try home.lock("a")
        let (services, enclave, store) = (home.services, home.home.enclave, item.reference.keychain)
        try services.keychainPreferences.setLoginKeychain(home.path("a"), of: .user)
        let path = try services.fileKeychains.path(home.path("a"))
        let check = try home.use("a") { (keychain) throws(KeychainError) in try keychain.passwordCheck() }
        let unlock = Work {
            try KeychainItemHome.with("a") { file in
                try services.fileKeychains.withKeychain(at: path) { (keychain) throws(KeychainError) in
                    try keychain.unlock(password: file, from: .agent)
                }
            }.outcome
        }
        try until("the password is compared") {
            enclave.monitor.withLock { _ in enclave.unlocks.isUnderWay(store) }
        }
        try KeychainItemHome.with("the passcode") { services.loginKeychain.offer([$0], services) }
        #expect(try unlock.value() == .done)
        try until("the passcode was offered") { services.loginKeychain.isAtRest }
        #expect(!services.fileKeychains.passcode.isPassword(of: check))
        // The right one is noted.
        try home.lock("a")
        try KeychainItemHome.with("a") { services.loginKeychain.offer([$0], services) }
        try until("the password was offered") { services.loginKeychain.isAtRest }
        #expect(services.fileKeychains.passcode.isPassword(of: check))
    }

    /// Another file may have been at the path when the password was looked at.
    @Test func aPasswordIsProvedForOneOpening() throws {
        let home = try KeychainItemHome()
        let item = try home.add("bob", "x")
        let proof = try KeychainItemHome.with("a") { file in
            try home.use("a") { (keychain) throws(KeychainError) in
                try keychain.prove(password: file, from: .agent)
            }
        }.epoch
        try #require(proof != nil)
        try home.lock("a")
        try home.unlock("a")
        #expect(throws: KeychainError(.notAvailable, "")) {
            try home.answer(SetItemAccess(.open, of: item.reference, in: item.path, .fail), as: .program("mail")) {
                (request, context) throws(KeychainError) in
                let change = try context.changeRequest(request.identifier)
                try context.withKeychain(at: request.path, .fail) { (keychain, context) throws(KeychainError) in
                    try keychain.set(
                        [ItemAccess(request.access, of: request.item)], provenIn: proof, change, &context.access)
                }
                return NoReply()
            }
        }
        #expect(try home.access(of: item).owner.subject != .any)
    }

    /// Whoever can write the file must not end the custodian by it, which would lock everything.
    @Test func aRowKeyOfAnyLengthIsDamageOfItsItem() throws {
        let home = try KeychainItemHome(keychains: ["a", "b"])
        for account in ["ada", "bob", "cyd"] { try home.add(account, account) }
        try home.add("eve", "e", to: "b")
        try home.lock("a")
        let pid = home.home.enclave.pid
        try home.write("UPDATE items SET row_key = zeroblob(2000000) WHERE row = 2", to: "a")
        try home.unlock("a")
        #expect(try home.secrets(nil).sorted() == ["ada", "cyd"])
        #expect(try home.secrets("eve", in: ["b"]) == ["e"])
        #expect(home.home.enclave.pid == pid)
    }

    @Test func severalAccessObjectsAreChangedTogetherOrNone() throws {
        let home = try KeychainItemHome()
        let items = [try home.add("ada", "x"), try home.add("bob", "y")]
        let open = items.map { ItemAccess(.open, of: $0.reference) }
        #expect(try home.setAccess(open, in: items[0].path, password: "wrong") == .wrong)
        // One of the items is in no keychain.
        let none = KeychainItemReference(
            keychain: items[0].keychain,
            item: PersistentReference(itemClass: .genericPassword, identifier: ItemIdentifier()))
        #expect(throws: KeychainError(.itemNotFound, "")) {
            try home.setAccess(open + [ItemAccess(.open, of: none)], in: items[0].path, password: "a")
        }
        let internet = KeychainItemReference(
            keychain: items[0].keychain,
            item: PersistentReference(itemClass: .internetPassword, identifier: items[0].item.identifier))
        for wrong in [[], open + [ItemAccess(.open, of: internet)]] {
            #expect(throws: KeychainError(.param, "")) {
                try home.setAccess(wrong, in: items[0].path, password: "a")
            }
        }
        for item in items { #expect(try home.access(of: item).owner.subject != .any) }
        #expect(try home.setAccess(open, in: items[0].path, password: "a") == .done)
        for item in items {
            let access = try home.access(of: item)
            #expect(access.owner.subject == .any)
            #expect(access.partitionList != nil, "it stays where the new object has none")
        }
    }

    @Test func aNewItemIsOfItsCreatorsPartitionWhateverItBrings() throws {
        let home = try KeychainItemHome()
        let foreign = try #require(Caller.program("game").partition)
        let item = try home.add("ada", "x", access: AccessObject.open.partitioned(PartitionList([foreign])))
        #expect(try home.access(of: item).partitionList?.identifiers == Caller.program("mail").partition.map { [$0] })
        var contradiction = AccessObject.open.partitioned(PartitionList([foreign]))
        contradiction.entries.append(contentsOf: contradiction.entries)
        #expect(throws: KeychainError(.invalidACL, "")) { try home.add("eve", "x", access: contradiction) }
    }
}

extension Caller {
    fileprivate var partition: PartitionID? { ACLCaller(identity, tools: []).partition }
}

extension KeychainItem {
    fileprivate var digestOfMail: UInt8 { "mail".utf8.reduce(0) { $0 &* 31 &+ $1 } }
}

extension ACLSubject {
    fileprivate var description: String? {
        if case .applications(_, let prompt) = self { prompt.description.text } else { nil }
    }
}
