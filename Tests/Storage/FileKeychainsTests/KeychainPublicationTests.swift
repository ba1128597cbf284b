import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import FileKeychains
@testable import StoreEngine

/// A published copy becomes the keychain where that is missing.
@Suite struct KeychainPublicationTests {
    let fixture: KeychainFixture
    private let published: String

    init() throws {
        fixture = try KeychainFixture()
        published = fixture.folder.path + "/published.keychain-db"
        let keychain = try fixture.made("work")
        try keychain.add("svc", "ada", "1")
        #expect(try keychain.publish(to: published) == nil)
        try fixture.lock(keychain)
        try FileManager.default.removeItem(atPath: fixture.path("work"))
    }

    private func expectRestored() throws {
        #expect(try FileKeychain.restore(fixture.path("work"), from: published))
        #expect(try fixture.links("work") == 1)
        let names = try fixture.names().filter { !$0.hasSuffix(".published") }
        #expect(names == ["work.keychain-db"])
        let keychain = fixture.keychain("work")
        #expect(try fixture.unlock(keychain) == .unlocked)
        #expect(try keychain.secret("svc", "ada") == "1")
        try fixture.lock(keychain)
    }

    @Test func itIsMadeTheKeychain() throws { try expectRestored() }

    /// The daemon ended after the file had its name, and before it lost that of the draft.
    @Test func anEndBetweenTwoNamesIsMended() throws {
        #expect(try FileKeychain.restore(fixture.path("work"), from: published))
        try FileManager.default.linkItem(
            atPath: fixture.path("work"), toPath: fixture.path("work") + ".restored")
        try expectRestored()
    }

    @Test func anUnfinishedDraftIsReplaced() throws {
        try Data("half".utf8).write(to: URL(fileURLWithPath: fixture.path("work") + ".restored"))
        try expectRestored()
    }

    /// What stands there beside a keychain, under the name of the draft, is not ours.
    @Test func anotherFileOfThatNameStays() throws {
        #expect(try FileKeychain.restore(fixture.path("work"), from: published))
        let other = fixture.path("work") + ".restored"
        try Data("theirs".utf8).write(to: URL(fileURLWithPath: other))
        #expect(try FileKeychain.restore(fixture.path("work"), from: published))
        #expect(FileManager.default.contents(atPath: other) == Data("theirs".utf8))
    }
}
