import Testing

@testable import ChatelaineModel

/// Tests of the bytes that `keychain-preferences.md` describes.
@Suite struct KeychainPreferencesFormatTests {
    private let folders = KeychainFolders(user: "/data/keychains", machine: "/machine")

    private func read(
        _ bytes: [UInt8], _ part: KeychainPreferences.Part = .users
    ) throws(CBORError) -> KeychainPreferences? {
        try bytes.withUnsafeBufferPointer { bytes throws(CBORError) in
            try KeychainPreferences().replacing(part, by: UnsafeRawBufferPointer(bytes))
        }
    }

    /// Every later version reads these bytes.
    @Test func versionOneIsRead() throws {
        var preferences = KeychainPreferences()
        try preferences.setSearchList(["a", "/b"], of: .user, in: folders)
        try preferences.setDefaultKeychain("a", of: .user, in: folders)
        try preferences.setLoginKeychain("l", of: .user, in: folders)
        let user: [UInt8] = [
            0xA2, 0, 1, 1, 0xA3, 0, 0x82, 0x61, 0x61, 0x62, 0x2F, 0x62, 1, 0x61, 0x61, 2, 0x61, 0x6C,
        ]
        #expect(preferences.encoded(.users) == user)
        #expect(try read(user) == preferences)
        try preferences.remove("l", from: .user, in: folders)
        var without = user
        without[4] = 0xA4
        #expect(preferences.encoded(.users) == without + [3, 0xF5])
        #expect(try read(without + [3, 0xF5]) == preferences)
        #expect(throws: CBORError.self) { try read(without + [3, 0xF4]) }
        var machine = KeychainPreferences()
        try machine.setSearchList(["a"], of: .system, in: folders)
        try machine.setDefaultKeychain(nil, of: .system, in: folders)
        try machine.setSearchList([], of: .common, in: folders)
        let bytes: [UInt8] = [0xA3, 0, 1, 2, 0xA1, 0, 0x81, 0x61, 0x61, 3, 0xA1, 0, 0x80]
        #expect(machine.encoded(.machines) == bytes)
        #expect(try read(bytes, .machines) == machine)
    }

    @Test func theFullestOnesAreRead() throws {
        let names = (0..<KeychainPreferences.maximumKeychains).map { number in
            "/\(number)/" + String(repeating: "x", count: KeychainPlace.maximumBytes - 2 - "\(number)".utf8.count)
        }
        var preferences = KeychainPreferences()
        try preferences.setSearchList(names, of: .system, in: folders)
        try preferences.setDefaultKeychain(names[0], of: .system, in: folders)
        try preferences.setLoginKeychain(names[1], of: .system, in: folders)
        preferences.common = preferences.system
        let machine = preferences.encoded(.machines)
        #expect(machine.count <= KeychainPreferences.maximumBytes)
        #expect(try read(machine, .machines) == preferences)
    }

    @Test func aLaterVersionIsNone() throws {
        #expect(try read([0xA1, 0, 2]) == nil)
        #expect(try read([0xA2, 0, 0x18, 200, 9, 0]) == nil)
    }

    @Test func whatIsTornOrForeignIsRefused() throws {
        var preferences = KeychainPreferences()
        try preferences.setSearchList(["a", "/b"], of: .user, in: folders)
        try preferences.setDefaultKeychain("a", of: .user, in: folders)
        for part in KeychainPreferences.Part.allCases {
            let whole = preferences.encoded(part)
            for length in 0..<whole.count {
                #expect(throws: CBORError.self) { try read(Array(whole[..<length]), part) }
            }
            // Some file systems leave a block of zeroes after a power cut.
            for length in 0..<whole.count {
                let zeroed = whole[..<length] + [UInt8](repeating: 0, count: whole.count - length)
                #expect(throws: CBORError.self) { try read(Array(zeroed), part) }
            }
            #expect(throws: CBORError.trailingBytes) { try read(whole + [0], part) }
            let other: KeychainPreferences.Part = part == .users ? .machines : .users
            #expect(throws: CBORError.self) { try read(whole, other) }
        }
        let foreign: [[UInt8]] = [
            [0xA2, 0, 0, 1, 0xA1, 0, 0x80], [0xA1, 0, 1], [0xA2, 0, 1, 1, 0xA0], [0xA2, 0, 1, 1, 0xA1, 0, 0x81, 0x60],
            // The same place twice, a path that leads out, an unknown field, and a list that is too long.
            [0xA2, 0, 1, 1, 0xA1, 0, 0x82, 0x61, 0x61, 0x61, 0x61],
            [0xA2, 0, 1, 1, 0xA1, 0, 0x81, 0x64, 0x2E, 0x2E, 0x2F, 0x61], [0xA2, 0, 1, 1, 0xA2, 0, 0x80, 3, 0],
            [0xA2, 0, 1, 1, 0xA1, 0, 0x99, 0x03, 0xE9] + [UInt8](repeating: 0x60, count: 1001),
        ]
        for bytes in foreign { #expect(throws: CBORError.self) { try read(bytes) } }
    }
}
