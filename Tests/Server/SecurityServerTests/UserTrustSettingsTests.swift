import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Foundation
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import CallerIdentity
@testable import SecurityServer

/// The file of a user's settings of trust is kept consistent with the list that names it.
struct UserTrustSettingsTests {
    private let folder: TemporaryFolder
    private let user: UserTrustSettings

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder("identity"), withIntermediateDirectories: false)
        user = UserTrustSettings(stateFolder: folder.path)
    }

    private static func setting(_ name: String = "Root") -> TrustSetting {
        TrustSetting(certificate: Array(name.utf8), subject: [2], summary: name, modified: 0)
    }

    private func ledger(_ calls: IdentitySystemCalls = .system) throws(KeychainError) -> ApplicationLedger {
        try ApplicationLedger(
            folder: folder("identity"), key: SecretBytes([UInt8](repeating: 7, count: 32)), user: geteuid(), homes: [],
            system: calls)
    }

    /// Replaces all settings by one certificate's, where no passcode is needed.
    private func set(_ name: String, in ledger: ApplicationLedger) throws(KeychainError) {
        _ = try user.change(in: ledger, to: { () throws(KeychainError) in [Self.setting(name)] }) {
            (decision) throws(KeychainError) in
            try ledger.carryOut(decision)
            return ((), true)
        }
    }

    /// The settings that count after a new start.
    private func names() throws -> [String] {
        try UserTrustSettings(stateFolder: folder.path).settings(in: ledger()).map(\.summary)
    }

    private var files: [String] { TemporaryFolder.names(in: folder("identity")).filter { $0.hasPrefix("trust-") } }

    /// A denial is not dropped to make room (behaviour/limits.md, 54).
    @Test func oneTooManyIsRefused() throws {
        var settings = [TrustSetting](repeating: Self.setting(), count: TrustLimits.maximumSettings)
        #expect(try user.write(settings) != nil)
        settings.append(Self.setting())
        #expect(throws: KeychainError(.notAvailable, "")) { try user.write(settings) }
        #expect(files.count == 1)
        // Few settings have more bytes than a file may have.
        let large = TrustSetting(
            certificate: [UInt8](repeating: 1, count: TrustLimits.maximumCertificateBytes), subject: [2],
            summary: "Root",
            modified: 0)
        let most = TrustLimits.maximumKnowledgeBytes / TrustLimits.maximumCertificateBytes
        #expect(throws: KeychainError(.notAvailable, "")) { try user.write(.init(repeating: large, count: most)) }
    }

    @Test func theFileOfBeforeGoes() throws {
        let ledger = try ledger()
        for name in ["a", "b"] { try set(name, in: ledger) }
        #expect(try names() == ["b"] && files.count == 1)
    }

    /// The list on disk names the file of a change that failed at its end. A wrong passcode afterwards removes nothing.
    @Test func nothingIsTakenAwayThatTheListMayName() throws {
        let isFailing = Mutex(false)
        let isRenamed = Mutex(false)
        var calls = IdentitySystemCalls.system
        calls.files.renameat = { folder, old, new throws(Errno) in
            try FileCalls.system.renameat(folder, old, new)
            isRenamed.withLock { $0 = true }
        }
        calls.files.fsync = { file throws(Errno) in
            let isOfFolder = isRenamed.withLock { isRenamed in
                defer { isRenamed = false }
                return isRenamed
            }
            if isOfFolder, isFailing.withLock({ $0 }) { throw Errno(EIO) }
            try FileCalls.system.fsync(file)
        }
        let ledger = try ledger(calls)
        try set("a", in: ledger)
        isFailing.withLock { $0 = true }
        #expect(throws: KeychainError(.ioError, "")) { try set("b", in: ledger) }
        #expect(try names() == ["b"])
        let refused = try user.change(in: ledger, to: { () throws(KeychainError) in [Self.setting("c")] }) { _ in
            ((), false)
        }
        #expect(refused.settings == nil)
        #expect(try names() == ["b"])
        #expect(try user.settings(in: ledger).map(\.summary) == ["a"])
        isFailing.withLock { $0 = false }
        // The settings known here stay the same, but the list is written to disk again.
        try set("a", in: ledger)
        #expect(try names() == ["a"] && files.count == 1)
    }

    /// The keychain was opened anew while a user was asked.
    @Test func anotherListKeepsWhatItNames() throws {
        let former = try ledger()
        try set("a", in: former)
        var next: ApplicationLedger?
        _ = try user.change(in: former, to: { () throws(KeychainError) in [Self.setting("b")] }) {
            (decision) throws(KeychainError) in
            former.retire()
            next = try ledger()
            try next?.carryOut(decision)
            return ((), true)
        }
        #expect(try names() == ["b"])
        #expect(throws: KeychainError(.notAvailable, "")) { try set("c", in: former) }
        try set("d", in: try #require(next))
        #expect(try names() == ["d"] && files.count == 1)
    }

    /// The settings change between the read of the list and the read of the file that it names.
    @Test func whatIsChangedWhileItIsReadIsNotLost() throws {
        let ledger = try ledger()
        try set("a", in: ledger)
        let isFirst = Mutex(true)
        var files = FileCalls.system
        files.openat = { [self] folder, path, mode throws(Errno) in
            let isMeant = path.contains("/trust-")
            if isMeant,
                isFirst.withLock({ isFirst in
                    defer { isFirst = false }
                    return isFirst
                })
            {
                #expect(throws: Never.self) { try set("b", in: ledger) }
            }
            return try FileCalls.system.openat(folder, path, mode)
        }
        let other = UserTrustSettings(stateFolder: folder.path, files: files)
        #expect(try other.settings(in: ledger).map(\.summary) == ["b"])
    }

    /// The advice to remove all settings must not follow from a full table of files.
    @Test(arguments: [
        (Errno(EMFILE), Status.notAvailable), (Errno(EIO), .ioError), (.notFound, .invalidTrustSettings),
        (Errno(ELOOP), .invalidTrustSettings),
    ])
    func whatCannotBeReadJustNowIsNotLost(error: Errno, status: Status) throws {
        let ledger = try ledger()
        try set("a", in: ledger)
        var files = FileCalls.system
        files.openat = { folder, path, mode throws(Errno) in
            if path.contains("/trust-") { throw error }
            return try FileCalls.system.openat(folder, path, mode)
        }
        let user = UserTrustSettings(stateFolder: folder.path, files: files)
        #expect(throws: KeychainError(status, "")) { try user.settings(in: ledger) }
    }
}
