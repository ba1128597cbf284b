/// The encoding of preferences in files (`Documentation/formats/keychain-preferences.md`).
extension KeychainPreferences {
    package static let version: UInt64 = 1
    /// The most bytes of a file: two lists of the longest paths, two more paths for each, and the heads of all.
    package static let maximumBytes = 2 * (maximumKeychains + 2) * (KeychainPlace.maximumBytes + 3) + 64

    private enum Field: UInt64, CBORField {
        case version = 0
        case user = 1
        case system = 2
        case common = 3
    }

    package func encoded(_ part: Part) -> [UInt8] {
        var writer = CBORWriter()
        writer.writeMap {
            $0.write(Field.version, Self.version)
            switch part {
            case .users: $0.write(Field.user, user)
            case .machines:
                $0.write(Field.system, system)
                $0.write(Field.common, common)
            }
        }
        return writer.finishArray()
    }

    /// These preferences with one part read from a file; nil if a later version wrote the file.
    package func replacing(_ part: Part, by bytes: UnsafeRawBufferPointer) throws(CBORError) -> KeychainPreferences? {
        guard bytes.count <= Self.maximumBytes else { throw .limitExceeded }
        var map = try CBORMap(CBORReader(bytes))
        let found: UInt64 = try map.read(Field.version)
        guard found <= Self.version else { return nil }
        guard found == Self.version else { throw .unsupported }
        var new = self
        switch part {
        case .users: new.user = try map.read(Field.user)
        case .machines:
            new.system = try map.read(Field.system)
            new.common = try map.read(Field.common)
        }
        try map.end().finish()
        return new
    }
}

extension KeychainPreferences.Domain: CBORValue {
    private enum Field: UInt64, CBORField {
        case searchList = 0
        case defaultKeychain = 1
        case loginKeychain = 2
        case hasGivenUpLogin = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.writeArray(Field.searchList, searchList)
            $0.write(Field.defaultKeychain, defaultKeychain)
            $0.write(Field.loginKeychain, loginKeychain)
            $0.write(Field.hasGivenUpLogin, hasGivenUpLogin ? true : nil)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init()
        searchList = try map.readArray(Field.searchList, limit: KeychainPreferences.maximumKeychains)
        defaultKeychain = try map.readIfPresent(Field.defaultKeychain)
        loginKeychain = try map.readIfPresent(Field.loginKeychain)
        let flag: Bool? = try map.readIfPresent(Field.hasGivenUpLogin)
        guard flag != false else { throw .outOfRange }
        hasGivenUpLogin = flag == true
        reader = try map.end()
        guard KeychainPreferences.eachOnce(searchList).count == searchList.count else { throw .unorderedKeys }
    }
}

extension KeychainPlace: CBORValue {
    package func encode(to writer: inout CBORWriter) { writer.write(text) }

    package init(from reader: inout CBORReader) throws(CBORError) {
        guard let path = KeychainPlace(try reader.readText(limit: Self.maximumBytes)) else { throw .outOfRange }
        self = path
    }
}
