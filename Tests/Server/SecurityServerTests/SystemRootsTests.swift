import ChatelaineModel
import ChatelaineSystem
import Foundation
import SystemCalls
import TestSupport
import Testing
import TrustProtocol

@testable import SecurityServer

/// Which roots go with a question, and whose file says which there are.
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
        // All of one subject; and those that a root itself was issued by.
        #expect(found(question("one")).count == 2)
        #expect(Set(found(question("three"))).isSuperset(of: [cross.certificate, one.certificate]))
        #expect(found([]).isEmpty)
        // What comes later adds what was not there.
        var search = RootSearch(index)
        #expect(search.add(question("two")) == [two.certificate])
        #expect(Set(search.add(question("two", "three"))).isSuperset(of: [cross.certificate, one.certificate]))
        #expect(search.found.count == 4)
    }

    /// A folder of everybody's, whoever owns the file: root alone has to be able to write it.
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

    /// Where one place has a link, as on Arch, the file is at another.
    @Test func aPlaceThatCannotBeUsedIsNoEndOfTheSearch() throws {
        let folder = try TemporaryFolder()
        let places = ["link", "closed", "missing", "file", "late"].map { folder.path + "/" + $0 }
        for path in places where path != places[2] {
            try Data(path.utf8).write(to: URL(fileURLWithPath: path))
        }
        let roots = SystemRoots(places: places, reader: Reader(), log: Log(program: "test")) { path in
            switch path {
            case places[0]: .unusable("\(path) is a symbolic link")
            case places[1]: .unreadable("\(path) cannot be read")
            default: .content(Array(path.utf8))
            }
        }
        #expect(try roots.index().roots.map(\.certificate) == [Array(places[3].utf8)])
        #expect(try roots.index().roots.map(\.certificate) == [Array(places[3].utf8)])
    }

    /// Each of them may deny something; so none is left out because there are many.
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

    /// What root denies must not be trusted because nobody can see it.
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
}
