import ChatelaineModel
import EnclaveProtocol

extension Seeds {
    /// Seeds whose first byte is the kind (``KeychainTarget``).
    static var keychains: [Seed] {
        func header(_ parameters: PasswordParameters) -> [UInt8] {
            KeychainHeader(
                KeychainHeader.Terms(
                    store: FixedKeys.store, parameters: parameters, salt: Bytes16(repeating: 4),
                    indexSalt: Bytes16(repeating: 5)), check: [UInt8](repeating: 3, count: 32),
                wrappedKey: [UInt8](repeating: 6, count: 60)
            ).encoded
        }
        let (least, most) = (header(.least), header(.most))
        // Without the checksum, its head, and its key of one byte.
        let body = Array(least.dropLast(10))
        // The version is after the head of the map, the magic with its key and head, and the version's key.
        let version = 4 + "chatelaine keychain header".utf8.count + 1
        var (newer, older) = (body, body)
        (newer[version], older[version]) = (2, 0)
        let tooMuch = PasswordParameters(memory: .max, passes: 16)
        return [
            ("least", [0] + least), ("most", [0] + most), ("body", [1] + body), ("newer", [1] + newer),
            ("older", [1] + older), ("too-much", [0] + header(tooMuch)), ("cut", [0] + least.prefix(100)),
            ("longer", [0] + least + [0]), ("checksum", [0] + body + [10, 0x48] + [UInt8](repeating: 0, count: 8)),
            ("values", [2] + big(65536) + [3, 1, 2, 3] + [UInt8](repeating: 7, count: 92)),
            ("few-values", [2] + big(65536) + [3, 1]), ("nothing", [0]),
        ] + preferences
    }

    private static var preferences: [Seed] {
        let folders = KeychainFolders(user: "/user", machine: "/machine")
        var set = KeychainPreferences()
        try? set.setSearchList(["login.keychain", "/tmp/ci.keychain-db", "/machine/x"], of: .user, in: folders)
        try? set.setDefaultKeychain("login.keychain", of: .user, in: folders)
        try? set.setLoginKeychain("J\u{FC}rgen", of: .user, in: folders)
        let user = set.encoded(.users)
        return [
            ("preferences", [3] + user), ("preferences-none", [3] + KeychainPreferences().encoded(.users)),
            ("preferences-machine", [3] + set.encoded(.machines)), ("preferences-cut", [3] + user.dropLast(9)),
            ("preferences-newer", [3, 0xA1, 0, 2]),
            ("preferences-twice", [3, 0xA2, 0, 1, 1, 0xA1, 0, 0x82, 0x61, 0x61, 0x61, 0x61]),
        ]
    }
}
