import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import FileKeychains
@testable import StoreEngine

/// What is damaged is saved.
extension KeychainTroubleTests {
    @Test(arguments: [1...1, 2...6, 20...23]) func whatIsLeftOfADamagedFileIsSaved(_ pages: ClosedRange<Int>) throws {
        let keychain = try fixture.made("work")
        for index in 0..<200 { try keychain.add("svc", "\(index)", "secret \(index)") }
        _ = try keychain.store().takeSnapshot(.request)
        for index in 200..<210 { try keychain.add("svc", "\(index)", "secret \(index)") }
        try fixture.lock(keychain)
        try fixture.garble(pages, of: "work")
        let again = fixture.keychain("work")
        #expect(try fixture.unlock(again) == .unlocked)
        while try again.store().continueRecovery() {}
        for index in 0..<200 { #expect(try again.secret("svc", "\(index)") == "secret \(index)") }
        try fixture.lock(again)
        // The recovered file is at the path, and opens on another machine.
        let elsewhere = fixture.keychain("work", places: fixture.places("other"))
        try fixture.unlock(elsewhere)
        #expect(try elsewhere.secret("svc", "7") == "secret 7")
    }

    /// The database that is opened lies in a folder of ours, and nobody can put a copy of that back.
    @Test(arguments: [0, 100, 20_000]) func aFileOfWhichNothingOpensIsNamed(_ size: off_t) throws {
        let keychain = try fixture.made("work")
        for index in 0..<50 { try keychain.add("svc", "\(index)", "secret \(index)") }
        try fixture.lock(keychain)
        let (path, copy) = (fixture.path("work"), fixture.path("copy"))
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try #require(truncate(path, size) == 0)
        let error = #expect(throws: KeychainError.self) { _ = try fixture.unlock(fixture.keychain("work")) }
        #expect(error?.status == .invalidKeychain && error?.reason.hasPrefix("\(path) is damaged") == true)
        // The advice helps.
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: copy, toPath: path)
        let again = fixture.keychain("work")
        #expect(try fixture.unlock(again) == .unlocked && again.secret("svc", "7") == "secret 7")
    }

    /// Another keychain was at the path before, and was taken away.
    @Test func theLastKeychainAtAPathIsRemembered() throws {
        for _ in 0..<6 {
            try fixture.lock(try fixture.made("work"))
            try FileManager.default.moveItem(atPath: fixture.path("work"), toPath: fixture.path("\(UUID())"))
        }
        // Times of files are as coarse as a tick of the clock.
        usleep(20_000)
        let keychain = try fixture.made("work")
        let last = try keychain.header().keychain
        try fixture.lock(keychain)
        func found() throws -> StoreIdentifier? {
            try RememberedHeader.find(nil, at: fixture.path("work"), fixture.places)?.keychain
        }
        #expect(try found() == last)
        // It comes back after another one.
        try FileManager.default.moveItem(atPath: fixture.path("work"), toPath: fixture.path("away"))
        usleep(20_000)
        try fixture.lock(try fixture.made("work"))
        #expect(try found() != last)
        try FileManager.default.removeItem(atPath: fixture.path("work"))
        try FileManager.default.moveItem(atPath: fixture.path("away"), toPath: fixture.path("work"))
        usleep(20_000)
        let again = fixture.keychain("work")
        try fixture.unlock(again)
        #expect(try found() == last)
        try fixture.lock(again)
    }

    /// The longest name leaves no room for the name of the temporary file that replaces it.
    @Test func aDamagedFileOfTheLongestNameIsSaved() throws {
        let name = String(repeating: "n", count: Int(NAME_MAX) - ".keychain-db".utf8.count)
        let keychain = try fixture.made(name)
        for index in 0..<200 { try keychain.add("svc", "\(index)", "secret \(index)") }
        _ = try keychain.store().takeSnapshot(.request)
        try fixture.lock(keychain)
        try fixture.garble(2...6, of: name)
        let again = fixture.keychain(name)
        #expect(try fixture.unlock(again) == .unlocked)
        while try again.store().continueRecovery() {}
        #expect(try again.secret("svc", "7") == "secret 7")
    }

    @Test func damageWhileItIsOpenIsMendedInPlace() throws {
        let keychain = try fixture.made("work")
        for index in 0..<200 { try keychain.add("svc", "\(index)", "secret \(index)") }
        _ = try keychain.store().settleLog()
        _ = try keychain.store().takeSnapshot(.request)
        try fixture.garble(3...8, of: "work")
        for index in 0..<200 {
            #expect(try keychain.secret("svc", "\(index)") == "secret \(index)")
        }
        try keychain.add("svc", "after", "1")
        try fixture.lock(keychain)
        try fixture.unlock(keychain)
        #expect(try keychain.secret("svc", "after") == "1")
    }
}
