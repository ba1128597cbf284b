import ChatelaineModel
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

    private enum Field: UInt64, CBORField {
        case header = 0
        case path = 1
    }

    /// More bytes than a header and the longest path have.
    private static let maximumBytes = 16 * 1024

    /// Writes the copy unless it exists already, and is the last one of its path; on disk when it returns.
    func write(of keychain: StoreIdentifier, _ places: FileKeychainPlaces) throws(KeychainError) {
        if try Self.read(of: keychain, places) == self, try Self.find(nil, at: path, places)?.keychain == keychain {
            return
        }
        var writer = CBORWriter(capacity: 256)
        writer.writeMap {
            $0.write(Field.header, header)
            $0.write(Field.path, path)
        }
        try StoreFolder.makeDurable(places.marks)
        try StoreFolder.replace(places.header(of: keychain), with: writer.finishArray())
    }

    /// Reads the copy; nil where it is missing or unreadable.
    static func read(of keychain: StoreIdentifier, _ places: FileKeychainPlaces) throws(KeychainError) -> Self? {
        guard let bytes = try StoreFolder.read(places.header(of: keychain), limit: maximumBytes) else { return nil }
        return try? bytes.withUnsafeBytes { bytes throws(CBORError) in
            var map = try CBORMap(CBORReader(bytes))
            let remembered = Self(header: try map.read(Field.header), path: try map.read(Field.path))
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
