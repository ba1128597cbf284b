import ChatelaineModel
import ChatelaineSystem
import StoreEngine

/// The record of the file elsewhere to which a check-out's database belongs.
///
/// While the file is checked out, the database is the keychain. The record lies beside the folder and not in it, since
/// a recovery replaces the folder.
struct LentRecord: Equatable, Sendable {
    static let suffix = ".lent"
    /// More bytes than a record with the longest path has.
    private static let maximumBytes = 16 * 1024
    private static let version: UInt64 = 1

    let keychain: StoreIdentifier
    let token: CheckOutToken
    let file: FileIdentity
    let path: String
    /// Whether the file says that it is checked out: from then on the work copy may have changes that the file lacks.
    var isAnnounced = false
    /// Whether the work copy is a restored snapshot: its first opening gives it no newer rows of other snapshots.
    var isRestored = false
    /// The name in the quarantine that the work copy gets while a snapshot replaces it.
    ///
    /// Where it stands there when a daemon ended or a call failed, it comes back
    /// (``FileCheckOut/undoReplacement(_:)``).
    var replaced: String?

    private enum Field: UInt64, CBORField {
        case version = 0
        case token = 1
        case device = 2
        case inode = 3
        case path = 4
        case isAnnounced = 5
        case isRestored = 6
        case replaced = 7
    }

    /// Writes the record; it is on disk when it returns.
    func write(_ places: FileKeychainPlaces) throws(KeychainError) {
        var writer = CBORWriter(capacity: 256)
        writer.writeMap {
            $0.write(Field.version, Self.version)
            $0.write(Field.token, token.bytes)
            $0.write(Field.device, file.device)
            $0.write(Field.inode, file.inode)
            $0.write(Field.path, path)
            $0.write(Field.isAnnounced, isAnnounced)
            $0.write(Field.isRestored, isRestored ? true : nil)
            $0.write(Field.replaced, replaced)
        }
        try StoreFolder.makeDurable(places.stores)
        try StoreFolder.replace(places.lentRecord(of: keychain), with: writer.finishArray())
    }

    static func remove(of keychain: StoreIdentifier, _ places: FileKeychainPlaces) throws(KeychainError) {
        try StoreFolder.removeAll(places.lentRecord(of: keychain))
    }

    /// Reads the record; nil where it is missing or unreadable.
    static func read(of keychain: StoreIdentifier, _ places: FileKeychainPlaces) throws(KeychainError) -> Self? {
        guard let bytes = try StoreFolder.read(places.lentRecord(of: keychain), limit: maximumBytes) else { return nil }
        return try? bytes.withUnsafeBytes { bytes throws(CBORError) in
            var map = try CBORMap(CBORReader(bytes))
            let version: UInt64 = try map.read(Field.version)
            guard version == Self.version, let token = CheckOutToken(try map.read(Field.token)) else {
                throw .unsupported
            }
            let file = FileIdentity(device: try map.read(Field.device), inode: try map.read(Field.inode))
            var record = Self(keychain: keychain, token: token, file: file, path: try map.read(Field.path))
            record.isAnnounced = try map.read(Field.isAnnounced)
            record.isRestored = try map.readIfPresent(Field.isRestored) ?? false
            record.replaced = try map.readIfPresent(Field.replaced)
            try map.end().finish()
            return record
        }
    }

    static func all(_ places: FileKeychainPlaces) throws(KeychainError) -> [Self] {
        let names = try StoreFolder.exists(places.stores) ? StoreFolder.names(in: places.stores) : []
        var records: [Self] = []
        for name in names where name.hasSuffix(suffix) {
            guard let bytes = Hexadecimal.bytes(of: name.dropLast(suffix.count).utf8),
                let keychain = StoreIdentifier(bytes), let record = try read(of: keychain, places)
            else { continue }
            records.append(record)
        }
        return records
    }

    /// Whether the file still stands at the path from which it was checked out.
    func isInPlace(_ places: FileKeychainPlaces) -> Bool { (try? places.look(path)) == file }

    /// Whether the given file is the recorded one and no copy of it; its path or its inode may have changed.
    func isAbout(_ other: KeychainFile, _ places: FileKeychainPlaces) -> Bool {
        other.identity == file || !isInPlace(places)
    }
}
