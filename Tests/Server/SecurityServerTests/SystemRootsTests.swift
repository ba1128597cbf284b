import CallerIdentity
import ChatelaineModel
import ChatelaineSystem
import Foundation
import Synchronization
import SystemCalls
import TestSupport
import Testing
import TrustProtocol

@testable import SecurityServer

/// Only the needed roots go with a question, and only root's file names them.
struct SystemRootsTests {
    private struct Reader: TrustJudging {
        func judge(_ trustCase: TrustCase) throws(KeychainError) -> TrustJudgement? {
            throw KeychainError(.notAvailable, "nobody judges here")
        }
        func roots(in file: [UInt8]) throws(KeychainError) -> [TrustRoot] {
            [TrustRoot(certificate: file, subject: file, summary: "read")]
        }
    }

    private func root(_ name: String, naming others: String...) -> TrustRoot {
        TrustRoot(
            certificate: Array((["certificate of", name] + others).joined(separator: " ").utf8),
            subject: Array("<\(name)>".utf8), summary: name)
    }

    private func question(_ names: String...) -> [[UInt8]] { names.map { Array("issued by <\($0)> and valid".utf8) } }

    @Test func rootsAreFoundByTheirSubjects() {
        let (one, two, cross) = (root("one"), root("two"), root("three", naming: "<one>"))
        let index = RootIndex([one, two, cross, root("one", naming: "renewed")])
        func found(_ certificates: [[UInt8]]) -> [[UInt8]] {
            var search = RootSearch(index)
            #expect(search.add(certificates) == search.found)
            return search.found
        }
        #expect(found(question("nobody")).isEmpty)
        #expect(found(question("two")) == [two.certificate])
        // All roots of one subject are found, and also the issuers of a root.
        #expect(found(question("one")).count == 2)
        #expect(Set(found(question("three"))).isSuperset(of: [cross.certificate, one.certificate]))
        #expect(found([]).isEmpty)
        // A later search adds only roots that were not found before.
        var search = RootSearch(index)
        #expect(search.add(question("two")) == [two.certificate])
        #expect(Set(search.add(question("two", "three"))).isSuperset(of: [cross.certificate, one.certificate]))
        #expect(search.found.count == 4)
    }

    /// Subjects of one beginning are told apart, also at the end of a certificate.
    @Test func subjectsAreFoundWhole() {
        let names = ["<>", "<a>", "<a>b", "<ab>", "<<", "x<a>"]
        let roots = names.map {
            TrustRoot(
                certificate: Array("root \(names.firstIndex(of: $0) ?? 0)".utf8), subject: Array($0.utf8), summary: $0)
        }
        let index = RootIndex(
            roots + [
                TrustRoot(certificate: [1], subject: [], summary: ""),
                TrustRoot(certificate: [2], subject: [60], summary: ""),
            ])
        for text in ["", "<", "<a", "<a>", "<a>b", "<<a>", "<<ab>", "x<", "x<a>b<>", "<a<>", "ab><"] {
            let bytes = Array(text.utf8)
            var search = RootSearch(index)
            let expected = zip(names, roots).filter { text.contains($0.0) }.map(\.1.certificate)
            #expect(Set(search.add([bytes])) == Set(expected), "\(text)")
        }
    }

    /// The folder is open to everybody, and only root may be able to write the file, whoever owns it.
    @Test func whatOthersCouldHaveWrittenDoesNotCount() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/bundle.crt"
        try Data("bundle".utf8).write(to: URL(fileURLWithPath: path))
        let log = Log(program: "test")
        #expect(try SystemRoots(places: [path], reader: Reader(), log: log).index().roots.isEmpty)
        #expect(try SystemRoots(places: ["/nowhere"], reader: Reader(), log: log).index().roots.isEmpty)
        let settings = AdminTrustSettings(folder: folder.path, reader: Reader(), log: log)
        try Data("setting".utf8).write(to: URL(fileURLWithPath: folder.path + "/one.pem"))
        #expect(try settings.settings().isEmpty)
    }

    /// Where one place has a link, as on Arch, the file is at another place.
    @Test func aLinkIsNoEndOfTheSearch() throws {
        let folder = try TemporaryFolder()
        let places = ["link", "missing", "file", "late"].map { folder.path + "/" + $0 }
        for path in places[2...] { try Data(path.utf8).write(to: URL(fileURLWithPath: path)) }
        try #require(symlink(places[3], places[0]) == 0)
        let roots = SystemRoots(places: places, reader: Reader(), log: Log(program: "test")) { path in
            path == places[0] ? .unusable("\(path) is a symbolic link") : .content(Array(path.utf8))
        }
        for _ in 0..<2 { #expect(try roots.index().roots.map(\.certificate) == [Array(places[2].utf8)]) }
    }

    /// A stale bundle may contain roots that the distribution has withdrawn.
    @Test func aFileThatCannotBeReadHasNoOtherInItsPlace() throws {
        let folder = try TemporaryFolder()
        let places = ["closed", "stale"].map { folder.path + "/" + $0 }
        for path in places { try Data(path.utf8).write(to: URL(fileURLWithPath: path)) }
        let log = Log(program: "test")
        let closed = SystemRoots(places: places, reader: Reader(), log: log) { path in
            path == places[0] ? .unreadable("\(path) cannot be read") : .content(Array(path.utf8))
        }
        #expect(throws: KeychainError(.notAvailable, "")) { try closed.index() }
        let open = SystemRoots(places: places, reader: Reader(), log: log) { path in
            path == places[0] ? .unusable("others could have written \(path)") : .content(Array(path.utf8))
        }
        #expect(try open.index().roots.isEmpty)
        // The roots that were read before still count.
        let first = Array("first".utf8)
        let later = SystemRoots(places: places, reader: Reader(), log: log) { path in
            let content = (try? Data(contentsOf: URL(fileURLWithPath: path))).map { [UInt8]($0) } ?? []
            return content == first ? .content(first) : .unreadable("\(path) cannot be read")
        }
        try Data(first).write(to: URL(fileURLWithPath: places[0]))
        #expect(try later.index().roots.map(\.certificate) == [first])
        try Data("another".utf8).write(to: URL(fileURLWithPath: places[0]))
        #expect(try later.index().roots.map(\.certificate) == [first])
    }

    /// A file that is not understood denies each of its certificates.
    ///
    /// Without any certificate the settings are unknown, and the file is not read again until it changes.
    @Test func aFileThatIsNotUnderstoodDenies() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/one.pem"
        let counter = Counter()
        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
        let settings = AdminTrustSettings(folder: folder.path, reader: counter, log: Log(program: "test")) { path in
            .content((try? Data(contentsOf: URL(fileURLWithPath: path))).map { [UInt8]($0) } ?? [])
        }
        try write("A")
        #expect(try settings.settings().map(\.constraints) == [[]])
        try write("Trust: deny\nA")
        #expect(try settings.settings().map(\.constraints) == [[TrustConstraint(.deny)]])
        try write("trust:trustRoot\nA")
        #expect(try settings.settings().map(\.constraints) == [[TrustConstraint(.deny)]])
        try write("AA")
        #expect(try settings.settings().map(\.constraints) == [[TrustConstraint(.deny)], [TrustConstraint(.deny)]])
        try write("none at all")
        let before = counter.count.load(ordering: .relaxed)
        for _ in 0..<3 {
            #expect(throws: KeychainError(.invalidTrustSettings, "")) { try settings.settings() }
        }
        #expect(counter.count.load(ordering: .relaxed) == before + 1)
        try write("A, again")
        #expect(try settings.settings().count == 1)
    }

    /// A reader that takes each `A` as a certificate.
    private final class Counter: TrustJudging {
        let count = Atomic<Int>(0)
        func judge(_ trustCase: TrustCase) throws(KeychainError) -> TrustJudgement? { nil }
        func roots(in file: [UInt8]) throws(KeychainError) -> [TrustRoot] {
            count.wrappingAdd(1, ordering: .relaxed)
            return file.filter { $0 == UInt8(ascii: "A") }.map {
                TrustRoot(certificate: [$0], subject: [$0], summary: "A")
            }
        }
    }

    /// Each setting may deny something, so none is left out because there are many.
    @Test func settingsBeyondTheLimitAreNotPassedOver() throws {
        let log = Log(program: "test")
        let folder = try TemporaryFolder()
        func settings(_ names: [String]) -> AdminTrustSettings {
            var calls = FileCalls.system
            calls.names = { _, limit throws(Errno) in Array(names.prefix(limit)) }
            return AdminTrustSettings(folder: folder.path, files: calls, reader: Reader(), log: log)
        }
        let most = (0..<TrustLimits.maximumSettings).map { "\($0).pem" }
        #expect(try settings(most).settings().isEmpty)
        #expect(throws: KeychainError(.invalidTrustSettings, "")) { try settings(most + ["last.pem"]).settings() }
        let others = (0...TrustLimits.maximumSettingNames).map { "\($0)" }
        #expect(throws: KeychainError(.invalidTrustSettings, "")) { try settings(others).settings() }
    }

    /// A certificate that root denies must not be trusted because the folder cannot be read.
    @Test func aFolderThatCannotBeReadIsNotAnEmptyOne() throws {
        let folder = try TemporaryFolder()
        var calls = FileCalls.system
        calls.names = { _, _ throws(Errno) in throw .noAccess }
        let log = Log(program: "test")
        let closed = AdminTrustSettings(folder: folder.path, files: calls, reader: Reader(), log: log)
        #expect(throws: KeychainError(.invalidTrustSettings, "")) { try closed.settings() }
        for missing in [folder.path + "/none", folder.path + "/none/none"] {
            #expect(try AdminTrustSettings(folder: missing, reader: Reader(), log: log).settings().isEmpty)
        }
        calls = .system
        calls.fstatat = { _, _ throws(Errno) in throw .noAccess }
        let hidden = AdminTrustSettings(folder: folder.path, files: calls, reader: Reader(), log: log)
        #expect(throws: KeychainError(.invalidTrustSettings, "")) { try hidden.settings() }
    }

    /// A file whose status is not known may deny something.
    @Test func aFileWhoseStatusFailsIsRead() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/one.pem"
        try Data("A".utf8).write(to: URL(fileURLWithPath: path))
        var calls = FileCalls.system
        let status = calls.fstatat
        calls.fstatat = { folder, path throws(Errno) in
            if path.hasSuffix(".pem") { throw .noAccess }
            return try status(folder, path)
        }
        let log = Log(program: "test")
        let closed = AdminTrustSettings(folder: folder.path, files: calls, reader: Reader(), log: log) {
            .unreadable("\($0) cannot be read")
        }
        #expect(throws: KeychainError(.invalidTrustSettings, "")) { try closed.settings() }
        let open = AdminTrustSettings(folder: folder.path, files: calls, reader: Counter(), log: log) { _ in
            .content(Array("Trust: deny\nA".utf8))
        }
        for _ in 0..<2 { #expect(try open.settings().map(\.constraints) == [[TrustConstraint(.deny)]]) }
    }

    /// Whoever passes such a file over trusts what it denies.
    @Test func aFileWhoseNameIsNotUTF8IsNotPassedOver() throws {
        let folder = try TemporaryFolder()
        let file = Descriptor(
            (Array("\(folder.path)/T".utf8) + [0xFC] + Array("rk.pem".utf8) + [0]).withUnsafeBufferPointer { path in
                path.withMemoryRebound(to: CChar.self) { path in
                    path.baseAddress.map { open($0, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) } ?? -1
                }
            })
        try #require(file.number >= 0)
        let settings = AdminTrustSettings(folder: folder.path, reader: Reader(), log: Log(program: "test"))
        #expect(throws: KeychainError(.invalidTrustSettings, "")) { try settings.settings() }
    }

    /// What a person denies must not be trusted because nobody knows whether root lets it count.
    @Test func aSwitchThatCannotBeReadIsNoSwitch() throws {
        let folder = try TemporaryFolder()
        func counts(_ file: RootFile) throws -> Bool {
            try AdminTrustSettings(
                folder: folder.path, reader: Reader(), log: Log(program: "test"), switchFile: { _ in file }
            ).doUserSettingsCount()
        }
        #expect(try counts(.missing) && counts(.unusable("others can write it")) && !counts(.content([])))
        #expect(throws: KeychainError(.invalidTrustSettings, "")) { try counts(.unreadable("no descriptor")) }
    }

    /// The distribution's file is not even read.
    @Test func asAKeychainTheyHaveNothingSynchronizable() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/bundle.crt"
        try Data("bundle".utf8).write(to: URL(fileURLWithPath: path))
        let roots = SystemRoots(places: [path], reader: Reader(), log: Log(program: "test")) {
            .unreadable("\($0) cannot be read")
        }
        let certificates = CertificateItems(
            try WaitingHome().services, for: .program("mail"), within: CertificateEvaluationQuota())
        var query = ItemQuery(itemClass: .certificate)
        for scope in [SynchronizableScope.local, .any] {
            query.synchronizable = scope
            #expect(throws: KeychainError(.notAvailable, "")) {
                _ = try SystemRootsKeychain(roots).find(query, certificates)
            }
        }
        query.synchronizable = .synchronizable
        #expect(try SystemRootsKeychain(roots).find(query, certificates).isEmpty)
    }
}
