import ChatelaineIPC
import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import SecurityServer
@testable import StoreEngine

/// The daemon reports what happens to file keychains that users copy, edit and damage.
@Suite struct FileKeychainLossTests {
    private let home: KeychainItemHome

    init() throws { home = try KeychainItemHome() }

    private static let pageSize = 4096

    private func garble(_ pages: ClosedRange<Int>, of name: String) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: home.path(name)))
        try file.seek(toOffset: UInt64((pages.lowerBound - 1) * Self.pageSize))
        try file.write(contentsOf: Data((0..<pages.count * Self.pageSize).map { UInt8($0 % 251) }))
        try file.close()
    }

    /// Replaces a text by another of the same length wherever it is in the file.
    ///
    /// The snapshots are deleted, because one would give the item back.
    private func replace(_ text: String, by other: String, in name: String) throws {
        let folder = "\(home.home.folder.path)/data/file-keychains"
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasSuffix(".snapshots") {
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
        try #require(text.utf8.count == other.utf8.count)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: home.path(name)))
        while let range = bytes.range(of: Data(text.utf8)) { bytes.replaceSubrange(range, with: Data(other.utf8)) }
        let file = try #require(FileHandle(forUpdatingAtPath: home.path(name)))
        try file.write(contentsOf: bytes)
        try file.close()
    }

    private func snapshots() throws -> [String] {
        let folder = "\(home.home.folder.path)/data/file-keychains"
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return [] }
        return try names.filter { $0.hasSuffix(".snapshots") }.flatMap { name in
            try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(name)").filter { !$0.hasSuffix(".part") }
        }
    }

    private func losses(_ command: LossCommand, as caller: Caller = .program("mail")) throws -> LossSummary {
        try home.answer(command, as: caller, StoreHandler.losses)
    }

    /// All steps of a check.
    private func check(_ name: String) throws -> [CheckStep.Finding] {
        var findings: [CheckStep.Finding] = []
        var position: UInt64? = 0
        while let next = position {
            let step = try home.answer(
                CheckStore(position: next, keychain: home.path(name)), as: .program("mail"), StoreHandler.check)
            findings += step.findings
            position = step.next
        }
        return findings
    }

    private func report() -> DaemonReport {
        StatusReport(services: home.services).make(for: .success(.program("mail")))
    }

    // MARK: Snapshots

    /// Users open keychains for a moment again and again.
    @Test func whatWasOpenForMomentsComesBackFromASnapshot() throws {
        for index in 0..<40 {
            try home.add("early \(index)", "secret \(index)")
            if index % 20 == 0 {
                try home.lock("a")
                try home.unlock("a")
            }
        }
        try home.lock("a")
        try home.unlock("a")
        try until("no snapshot was taken") { try !snapshots().isEmpty }
        try home.lock("a")
        try garble(2...6, of: "a")
        try home.unlock("a")
        let store = try home.services.fileKeychains.withKeychain(at: home.services.fileKeychains.path(home.path("a"))) {
            (keychain) throws(KeychainError) in try keychain.opened()?.store
        }
        try until("the recovery does not end") { store?.isRecovering == false }
        #expect(try home.secrets("early 1") == ["secret 1"])
        #expect(try home.find(nil).count >= 20)
    }

    private func snapshots(_ command: SnapshotCommand) throws -> [SnapshotRecord] {
        try home.answer(PasscodeProtected(command, hasPasscode: false), as: .program("mail")) {
            (request, context) throws(KeychainError) in
            try StoreHandler.snapshots(request.command, nil, &context)
        }
    }

    /// Only taking a snapshot needs the keys.
    @Test func snapshotsAreTakenListedAndDeletedByAPath() throws {
        let path = home.path("a")
        try home.add("anna", "one")
        let first = try #require(try snapshots(.take(keychain: path)).first)
        #expect(first.items == 1 && first.reason == .request)
        try home.add("bert", "two")
        let second = try #require(try snapshots(.take(keychain: path)).first)
        #expect(try snapshots(.list(keychain: path)).map(\.name) == [second.name, first.name])
        #expect(try snapshots(.list()).isEmpty, "those of the other keychain are its own")
        try home.lock("a")
        #expect(throws: KeychainError(.interactionNotAllowed, "")) { try snapshots(.take(keychain: path)) }
        #expect(try snapshots(.delete(name: first.name, keychain: path)).map(\.name) == [first.name])
        #expect(throws: KeychainError(.itemNotFound, "")) {
            try snapshots(.delete(name: "../a", keychain: path))
        }
        #expect(try snapshots(.deleteAll(kept: 0, keychain: path)).map(\.name) == [second.name])
        #expect(try snapshots(.list(keychain: path)).isEmpty)
        #expect(throws: KeychainError(.noSuchKeychain, "")) { try snapshots(.list(keychain: home.path("b"))) }
    }

    /// The restored keychain reports its missing changes, as an older copy does.
    @Test func aSnapshotIsRestoredByAPath() throws {
        let path = home.path("a")
        try home.add("anna", "one")
        let taken = try #require(try snapshots(.take(keychain: path)).first)
        try home.add("bert", "two")
        #expect(throws: KeychainError(.itemNotFound, "")) { try snapshots(.restore(name: "../a", keychain: path)) }
        #expect(try home.secrets("bert") == ["two"], "it stays open")
        let restored = try #require(try snapshots(.restore(name: taken.name, keychain: path)).first)
        #expect(restored.name == taken.name)
        let replaced = try #require(restored.replaced)
        #expect(FileManager.default.fileExists(atPath: "\(replaced)/items.db"))
        // A user without a passcode has to prove that they have the password.
        #expect(throws: KeychainError(.interactionNotAllowed, "")) {
            try snapshots(.restore(name: taken.name, keychain: path))
        }
        try home.unlock("a")
        #expect(try home.secrets("anna") == ["one"] && home.find(nil).count == 1)
        #expect(try losses(.show(keychain: path)).missing != nil)
        #expect(throws: KeychainError(.noSuchKeychain, "")) {
            try snapshots(.restore(name: taken.name, keychain: home.path("b")))
        }
    }

    /// A keychain made, filled and deleted for a build does not pay for a snapshot.
    @Test func oneThatIsMadeIsNotCopiedAtOnce() throws {
        try home.add("anna", "one")
        usleep(200_000)
        try home.lock("a")
        #expect(try snapshots().isEmpty)
    }

    // MARK: What is told

    @Test func aLockedKeychainIsNotChecked() throws {
        try home.lock("a")
        #expect(throws: KeychainError(.interactionNotAllowed, "")) { try check("a") }
        #expect(throws: KeychainError(.interactionNotAllowed, "")) { try losses(.show(keychain: home.path("a"))) }
        #expect(throws: KeychainError(.noSuchKeychain, "")) { try check("b") }
        #expect(throws: KeychainError(.noSuchKeychain, "")) { try losses(.acknowledge(keychain: home.path("b"))) }
        #expect(throws: KeychainError(.param, "")) { try losses(.show(keychain: "a")) }
    }

    @Test func whatSomebodyEditedIsToldUntilItIsAcknowledged() throws {
        let path = home.path("a")
        try home.add("anna", "one")
        try home.add("bert", "two")
        #expect(try check("a").isEmpty)
        #expect(try losses(.show(keychain: path)).missing == nil)
        try home.lock("a")
        try replace("anna", by: "mary", in: "a")
        try home.unlock("a")
        _ = try check("a")
        let told = try losses(.show(keychain: path))
        #expect(told.missing?.setAside == 1 && told.total == 1)
        let item = try #require(told.setAside.first)
        #expect(item.itemClass == .genericPassword && !item.isVerified)
        #expect(item.attributes[.service] == .text("service") && item.attributes[.account] == .text("mary"))
        #expect(try losses(.show()).missing == nil, "the other keychain has lost nothing")
        // Only this report tells of a locked keychain.
        try home.lock("a")
        #expect(report()["keychains.missing"] == .number(1))
        #expect(report()["keychains.missing.1"] == .text(path))
        try home.unlock("a")
        #expect(try losses(.acknowledge(keychain: path)).missing != nil)
        #expect(try losses(.show(keychain: path)).missing == nil)
        #expect(report()["keychains.missing"] == nil)
    }

    /// Nobody could acknowledge the loss of a keychain that is not there.
    @Test func whatIsNotThereIsNotTold() throws {
        try home.add("anna", "one")
        try home.lock("a")
        try replace("anna", by: "mary", in: "a")
        try home.unlock("a")
        _ = try check("a")
        try home.lock("a")
        #expect(report()["keychains.missing"] == .number(1))
        let path = home.path("a")
        try FileManager.default.moveItem(atPath: path, toPath: path + "-moved")
        #expect(report()["keychains.missing"] == nil)
        try home.create("a")
        #expect(report()["keychains.missing"] == nil)
    }

    @Test func aCopyOfAnOpenKeychainSaysSoUntilItIsAcknowledged() throws {
        try home.add("anna", "one")
        let (path, copy) = (home.path("a"), home.path("b"))
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try home.services.fileKeychains.withKeychain(at: home.services.fileKeychains.path(path)) {
            (keychain) throws(KeychainError) in try keychain.delete()
        }
        func mayLackChanges() throws -> Bool {
            try home.answer(ReadKeychainState(path: copy), as: .program("mail"), KeychainHandler.state).mayLackChanges
        }
        #expect(try mayLackChanges())
        let right = try KeychainItemHome.with("a") { file in
            try home.services.fileKeychains.withKeychain(at: home.services.fileKeychains.path(copy)) {
                (keychain) throws(KeychainError) in try keychain.unlock(password: file, from: .agent)
            }
        }
        #expect(right.outcome == .done)
        #expect(try mayLackChanges())
        #expect(report()["keychains.missing.1"] == .text(copy))
        let told = try losses(.acknowledge(keychain: copy)).missing
        #expect(told != nil && told?.changes == nil)
        #expect(try !mayLackChanges())
    }
}
