import ChatelaineModel
import StoreEngine
import ChatelaineSystem

/// To which file elsewhere the database in a folder of ours belongs, which is the keychain as long as that is checked out.
///
/// Beside the folder, not in it: a recovery puts another one into its place.
struct LentRecord: Equatable, Sendable {
    static let suffix = ".lent"
    /// More than the longest path has.
    private static let maximumBytes = 16 * 1024
    private static let version: UInt64 = 1

    let keychain: StoreIdentifier
    let token: CheckOutToken
    let file: FileIdentity
    let path: String
    /// Whether the file says that it is checked out: from then on our database may have changes that it lacks.
    var isAnnounced = false
    /// Whether our database is a snapshot that takes the file's place: whoever opens it first gives it nothing of what newer ones have.
    var isRestored = false

    private enum Field: UInt64, CBORField {
        case version = 0
        case token = 1
        case device = 2
        case inode = 3
        case path = 4
        case isAnnounced = 5
        case isRestored = 6
    }

    /// On disk when it returns.
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
        }
        try StoreFolder.makeDurable(places.stores)
        try StoreFolder.replace(places.lentRecord(of: keychain), with: writer.finishArray())
    }

    static func remove(of keychain: StoreIdentifier, _ places: FileKeychainPlaces) throws(KeychainError) {
        try StoreFolder.removeAll(places.lentRecord(of: keychain))
    }

    /// Nil where there is none, or none that can be read.
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

    /// Whether the file still stands where it was checked out from.
    func isInPlace(_ places: FileKeychainPlaces) -> Bool { (try? places.look(path)) == file }

    /// Whether that is the file, by now perhaps at another place or with another number, and no copy of it.
    func isAbout(_ other: KeychainFile, _ places: FileKeychainPlaces) -> Bool {
        other.identity == file || !isInPlace(places)
    }
}
