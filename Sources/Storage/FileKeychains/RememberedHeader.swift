import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import StoreEngine

/// A copy of a keychain's header, with the path at which the keychain was last open.
///
/// The file has its header on one page, which may be the damaged one. The copy proves nothing: a wrong header opens no
/// row, and then nothing is changed.
struct RememberedHeader: Equatable {
    let header: [UInt8]
    let path: String
    /// Paths at which the keychain was open before, and where a file stood when this was written: copies share what
    /// this daemon keeps.
    private(set) var others: [String] = []

    /// The most other paths that are remembered; of more copies the ones that were open last count.
    private static let mostOthers = 8

    private enum Field: UInt64, CBORField {
        case header = 0
        case path = 1
        /// Left out for none.
        case others = 2
    }

    init(header: [UInt8], path: String) { (self.header, self.path) = (header, path) }

    /// More bytes than a header and the longest paths have.
    private static let maximumBytes = 64 * 1024

    /// Writes the copy unless it exists already, and is the last one of its path; on disk when it returns.
    func write(of keychain: StoreIdentifier, _ places: FileKeychainPlaces) throws(KeychainError) {
        let former = try Self.read(of: keychain, places)
        let new = following(former)
        if former == new, try Self.find(nil, at: path, places)?.keychain == keychain { return }
        var writer = CBORWriter(capacity: 256)
        writer.writeMap {
            $0.write(Field.header, new.header)
            $0.write(Field.path, new.path)
            if !new.others.isEmpty { $0.writeArray(Field.others, new.others) }
        }
        try StoreFolder.makeDurable(places.marks)
        try StoreFolder.replace(places.header(of: keychain), with: writer.finishArray())
    }

    /// This record with the paths of the former one where a file stands.
    private func following(_ former: Self?) -> Self {
        var new = self
        let known = former.map { [$0.path] + $0.others } ?? []
        let own = try? KeychainFile.identity(at: path)
        new.others = Array(known.filter { $0 != path && Self.isTaken($0, besides: own) }.prefix(Self.mostOthers))
        return new
    }

    /// Whether another file stands at a path, as far as this process sees.
    private static func isTaken(_ path: String, besides own: FileIdentity?) -> Bool {
        do throws(KeychainError) {
            guard let status = try KeychainFile.status(of: path) else { return false }
            return FileIdentity(status) != own
        } catch { return true }
    }

    /// Whether the keychain was open at another path too, where another file than its own stands.
    ///
    /// Links in folders give one file several paths.
    func hasCopy(of file: FileIdentity, besides path: String) -> Bool {
        ([self.path] + others).contains { $0 != path && Self.isTaken($0, besides: file) }
    }

    /// Reads the copy; nil where it is missing or unreadable.
    static func read(of keychain: StoreIdentifier, _ places: FileKeychainPlaces) throws(KeychainError) -> Self? {
        guard let bytes = try StoreFolder.read(places.header(of: keychain), limit: maximumBytes) else { return nil }
        return try? bytes.withUnsafeBytes { bytes throws(CBORError) in
            var map = try CBORMap(CBORReader(bytes))
            var remembered = Self(header: try map.read(Field.header), path: try map.read(Field.path))
            remembered.others = try map.readArrayIfPresent(Field.others, limit: mostOthers) ?? []
            try map.end().finish()
            return remembered
        }
    }

    /// Returns a file's header, or the copy where the file's is garbled and the copy is not.
    ///
    /// A header that a later version wrote is not garbled.
    static func sound(
        _ header: [UInt8], of keychain: StoreIdentifier, at path: String, _ places: FileKeychainPlaces
    ) throws(KeychainError) -> [UInt8] {
        guard isGarbled(header, path), let copy = try read(of: keychain, places)?.header, !isGarbled(copy, path) else {
            return header
        }
        return copy
    }

    /// Whether chance damage has changed a header, as its checksum tells.
    private static func isGarbled(_ header: [UInt8], _ path: String) -> Bool {
        do throws(KeychainError) { _ = try KeychainHeader(decoding: header, path: path) } catch {
            return error.cause != .newerFormat
        }
        return false
    }

    /// Finds the header of a damaged file, by its identifier where that is readable, and otherwise by its path.
    ///
    /// Several keychains may have been open at a path, one after the other; the last one counts.
    static func find(
        _ known: StoreIdentifier?, at path: String, _ places: FileKeychainPlaces
    ) throws(KeychainError) -> (keychain: StoreIdentifier, header: [UInt8])? {
        if let known { return try read(of: known, places).map { (known, $0.header) } }
        let names = try StoreFolder.exists(places.marks) ? StoreFolder.names(in: places.marks) : []
        var last: (keychain: StoreIdentifier, header: [UInt8], written: (Int, Int))?
        for name in names where name.hasSuffix(FileKeychainPlaces.suffix) {
            guard let bytes = Hexadecimal.bytes(of: name.dropLast(FileKeychainPlaces.suffix.count).utf8),
                let keychain = StoreIdentifier(bytes), let remembered = try read(of: keychain, places),
                remembered.path == path, let status = try KeychainFile.status(of: places.header(of: keychain))
            else { continue }
            let written = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
            if let last, last.written > written { continue }
            last = (keychain, remembered.header, written)
        }
        return last.map { ($0.keychain, $0.header) }
    }
}
