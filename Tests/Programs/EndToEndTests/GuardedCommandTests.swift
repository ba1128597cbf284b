import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests that letting programs in or giving copies away takes the passcode, where there is one.
///
/// A program of the same user that can write every file of the household gains nothing without it.
@Suite struct GuardedCommandTests {
    private let household: Household
    private let folder: String
    private let passcode = SecretBytes(Array(Household.passcode.utf8))

    init() throws {
        household = try Household()
        folder = household.home + "/build"
        try #require(mkdir(folder, 0o755) == 0)
        try household.give(folder)
    }

    private func decide(
        _ command: ApplicationCommand, _ passcode: SecretBytes? = nil
    ) throws -> [ApplicationDecision.State] {
        try household.client.applications(command, passcode: passcode).map(\.state)
    }

    private func status(_ body: () throws -> Void) -> Status? {
        do { try body() } catch { return (error as? KeychainError)?.status }
        return nil
    }

    private var list: String { household.home + "/state/identity/applications" }

    /// While other requests keep the keychain busy, a command needs its passcode all the same, and a lock locks.
    @Test func aBusyKeychainNeedsThePasscodeToo() throws {
        try household.passcode(.set, Household.passcode)
        let clients = (0..<4).map { _ in household.client }
        let flood = Running(repeating: clients.count) { number in
            _ = try? clients[number].find(ItemQuery(itemClass: .genericPassword))
        }
        let client = household.client
        for _ in 0..<300 {
            #expect(status { _ = try client.settings(.setIdleTimeout(77)) } == .authFailed)
        }
        for _ in 0..<20 {
            #expect(try client.call(.unlock, [passcode]).outcome == .done)
            #expect(try client.device(.lock).state != .unlocked)
        }
        try flood.stop()
        #expect(try client.settings(.show).idleTimeout == 0)
    }

    @Test func decisionsAboutProgramsTakeThePasscode() throws {
        #expect(try decide(.develop(path: folder)) == [.development])
        // A passcode where none is set is a mistake, and the decision is not made.
        #expect(status { _ = try decide(.forget(path: folder), passcode) } == .param)
        try household.passcode(.set, Household.passcode)
        // The first passcode confirms all earlier decisions.
        #expect(try decide(.list) == [.development])
        for command in [ApplicationCommand.forget(path: folder), .develop(path: folder)] {
            #expect(status { _ = try decide(command) } == .authFailed)
            #expect(status { _ = try decide(command, SecretBytes([1, 2, 3])) } == .authFailed)
        }
        #expect(try decide(.list) == [.development])
        #expect(try decide(.forget(path: folder), passcode).count == 1)
        #expect(try decide(.list).isEmpty)
        #expect(try decide(.develop(path: folder), passcode) == [.development])

        // While the device is locked, decisions can be read but not made.
        try household.enter(.locked)
        #expect(try decide(.list) == [.development])
        #expect(status { _ = try decide(.forget(path: folder), passcode) } == .interactionNotAllowed)
        household.dismiss()
        #expect(try decide(.list) == [.development])
        try household.enter(.unlocked)

        // Another passcode and other keys keep the list. Without a passcode, a decision needs none.
        try #require(try household.passcode(.newKeys, Household.passcode).outcome == .done)
        #expect(try decide(.list) == [.development])
        try #require(try household.passcode(.change, Household.passcode, "battery staple").outcome == .done)
        #expect(try decide(.list) == [.development])
        household.dismiss()
        #expect(try decide(.list) == [.development])
        try #require(try household.passcode(.remove, "battery staple").outcome == .done)
        #expect(try decide(.forget(path: folder)).count == 1)
    }

    /// An older list is void after the person has changed it, although it was once signed.
    @Test func anOlderListIsWorthless() throws {
        try household.passcode(.set, Household.passcode)
        #expect(try decide(.develop(path: folder), passcode) == [.development])
        let before = try Data(contentsOf: URL(fileURLWithPath: list))
        #expect(try decide(.forget(path: folder), passcode).count == 1)
        household.dismiss()
        try before.write(to: URL(fileURLWithPath: list))
        #expect(try decide(.list) == [.unconfirmed])
        // Only the person can confirm the list.
        try household.enter(.unlocked)
        #expect(try decide(.list) == [.unconfirmed])
        #expect(status { _ = try decide(.develop(path: folder)) } == .authFailed)
        #expect(try decide(.develop(path: folder), passcode) == [.development])
    }

    /// The owner lists the attributes of every program's items, and nobody gets a secret by that.
    @Test func theOwnerListsAll() throws {
        let (keeper, other) = (try household.probe("keeper"), try household.probe("other"))
        for name in ["ada", "bob", "cid"] { #expect(try keeper.add(name, "s3cret of \(name)") == 0) }
        #expect(try other.add("dora", "s3cret of dora") == 0)
        let client = household.client
        var query = ItemQuery(itemClass: .genericPassword)
        query.limit = .all
        query.returns = .attributes
        #expect(status { _ = try client.listAll(query, passcode: passcode) } == .authFailed)
        try household.passcode(.set, Household.passcode)
        #expect(status { _ = try client.listAll(query, passcode: SecretBytes([1, 2, 3])) } == .authFailed)
        let all = try client.listAll(query, passcode: passcode)
        #expect(Set(all.map { $0.attributes[.account] }) == Set(["ada", "bob", "cid", "dora"].map { .text($0) }))
        #expect(Set(all.map { $0.attributes[.accessGroup] }).count == 2 && all.allSatisfy { $0.secret == nil })
        query.limit = .count(3)
        #expect(try client.listAll(query, passcode: passcode).count == 3)
        query.limit = .all
        query.accessGroup = AccessGroup("path:/nowhere")
        #expect(status { _ = try client.listAll(query, passcode: passcode) } == .itemNotFound)
        query.accessGroup = nil
        query.returns = [.attributes, .data]
        #expect(status { _ = try client.listAll(query, passcode: passcode) } == .param)
        query.returns = .attributes
        query.itemClass = .internetPassword
        #expect(status { _ = try client.listAll(query, passcode: passcode) } == .itemNotFound)
        // An identity is a certificate and a key, whoever has them.
        query.itemClass = .identity
        #expect(status { _ = try client.listAll(query, passcode: passcode) } == .itemNotFound)
        let place = Repository.root.appendingPathComponent("Tests/Keys/KeyFormatsTests/Fixtures/modern.p12")
        let imported = try keeper.ask([
            "call": "pkcs12", "data": try Data(contentsOf: place).base64EncodedString(),
            "options": ["passphrase": "password"],
        ])
        #expect(imported.status == 0)
        #expect(try client.listAll(query, passcode: passcode).count == 1)
        query.certificateTerms.isTrustedOnly = true
        #expect(status { _ = try client.listAll(query, passcode: passcode) } == .param)
        query.certificateTerms = CertificateTerms()
        query.itemClass = .genericPassword
        try household.enter(.locked)
        #expect(status { _ = try client.listAll(query, passcode: passcode) } == .interactionNotAllowed)
    }

    @Test func copiesAreReplacedAndDeletedWithThePasscode() throws {
        let client = household.client
        let name = try #require(try client.snapshots(.take()).first?.name)
        try household.passcode(.set, Household.passcode)
        let commands: [SnapshotCommand] = [.restore(name: name), .delete(name: name), .deleteAll(kept: 0)]
        for command in commands {
            #expect(status { _ = try client.snapshots(command) } == .authFailed)
            #expect(status { _ = try client.snapshots(command, passcode: SecretBytes([1, 2, 3])) } == .authFailed)
        }
        #expect(try client.snapshots(.take()).count == 1)
        #expect(try !client.snapshots(.deleteAll(kept: 0), passcode: passcode).isEmpty)
        #expect(try client.snapshots(.list()).isEmpty)
        #expect(try client.device(.state).failures == 0)
    }
}
