import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import FileKeychains

/// The file of a keychain keeps the settings that say when it locks by itself.
@Suite struct KeychainSettingsTests {
    let fixture: KeychainFixture

    init() throws { fixture = try KeychainFixture() }

    private static func settings(_ interval: UInt32, sleep: Bool) -> KeychainSettings {
        var settings = KeychainSettings()
        (settings.lockInterval, settings.locksOnSleep) = (interval, sleep)
        return settings
    }

    private func status(_ body: () throws -> Void) throws -> Status? {
        do { try body() } catch let error as KeychainError { return error.status }
        return nil
    }

    @Test func theyStayWithTheFile() throws {
        let keychain = try fixture.made("work")
        #expect(try keychain.settings() == Self.settings(300, sleep: true), "those of a new one")
        let settings = Self.settings(21_600, sleep: false)
        try keychain.replaceSettings(settings)
        #expect(try keychain.settings() == settings)
        try fixture.lock(keychain)
        #expect(try status { _ = try keychain.settings() } == .interactionNotAllowed)
        #expect(try status { try keychain.replaceSettings(settings) } == .interactionNotAllowed)
        // The settings hold for a copy on another machine.
        try fixture.copy("work", to: "copy")
        let copy = fixture.keychain("copy", places: fixture.places("other"))
        try fixture.unlock(copy)
        #expect(try copy.settings() == settings)
        try fixture.lock(copy)
        try fixture.unlock(keychain)
        #expect(try keychain.settings() == settings)
    }

    /// A change of any byte is noticed, and so are the settings of another keychain.
    @Test func whatSomebodyChangedIsNoticed() throws {
        let keychain = try fixture.made("work")
        try keychain.replaceSettings(Self.settings(60, sleep: true))
        try fixture.lock(keychain)
        let hex = try #require(try fixture.read("SELECT hex(value) FROM properties WHERE id = 3", from: "work").first)
        for offset in stride(from: 0, to: hex.count, by: 2) {
            var digits = Array(hex)
            digits[offset] = digits[offset] == "0" ? "1" : "0"
            try fixture.write("UPDATE properties SET value = x'\(String(digits))' WHERE id = 3", to: "work")
            try fixture.unlock(keychain)
            #expect(try status { _ = try keychain.settings() } == .invalidKeychain, "byte \(offset / 2)")
            try fixture.lock(keychain)
        }
        for value in ["x''", "x'00'", "x'\(hex)00'", "x'\(String(repeating: "00", count: 64))'"] {
            try fixture.write("UPDATE properties SET value = \(value) WHERE id = 3", to: "work")
            try fixture.unlock(keychain)
            #expect(try status { _ = try keychain.settings() } == .invalidKeychain, "\(value)")
            try fixture.lock(keychain)
        }
        // The settings of another keychain do not count for this one.
        let other = try fixture.made("other")
        try other.replaceSettings(Self.settings(.max, sleep: false))
        try fixture.lock(other)
        let foreign = try #require(
            try fixture.read("SELECT hex(value) FROM properties WHERE id = 3", from: "other").first)
        try fixture.write("UPDATE properties SET value = x'\(foreign)' WHERE id = 3", to: "work")
        try fixture.unlock(keychain)
        #expect(try status { _ = try keychain.settings() } == .invalidKeychain)
        // Settings that are set anew count again.
        try keychain.replaceSettings(Self.settings(60, sleep: true))
        #expect(try keychain.settings() == Self.settings(60, sleep: true))
    }

    /// The database that replaces a damaged one takes over the settings.
    @Test func aRecoveryKeepsThem() throws {
        let keychain = try fixture.made("work")
        try keychain.replaceSettings(Self.settings(60, sleep: false))
        for index in 0..<300 { try keychain.add("svc", "\(index)", "secret") }
        try fixture.lock(keychain)
        let pages = try #require(try fixture.read("PRAGMA page_count", from: "work").first.flatMap(Int.init))
        try fixture.unlock(keychain)
        _ = try keychain.store().settleLog()
        try fixture.garble(pages / 2...pages / 2 + 4, of: "work")
        for index in 0..<300 { _ = try? keychain.secret("svc", "\(index)") }
        #expect(try fixture.ours().contains { $0.hasSuffix(".quarantine") }, "nothing was recovered")
        #expect(try keychain.settings() == Self.settings(60, sleep: false))
    }
}
