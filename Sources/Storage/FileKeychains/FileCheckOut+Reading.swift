import ChatelaineModel
import StoreEngine

/// What the work copy of a file that may only be read has beside it: a mark and a quarantine of its own.
///
/// The file stays as it is, whatever becomes of the copy: a copy that lacks changes goes on with a higher number, and a
/// damaged one is made anew. With the keychain's own mark, the next opening would count these steps as further changes
/// that the file lacks.
extension FileCheckOut {
    private var reading: String { places.reading(of: keychain) }
    var readingMark: String { reading + "/mark" }
    var readingQuarantine: String { reading + "/quarantine" }

    /// More bytes than a mark has.
    private static let maximumMarkBytes = 64 * 1024

    /// Copies the keychain's mark.
    func beginReading() throws(KeychainError) {
        try StoreFolder.makeDurable(reading)
        guard let mark = try StoreFolder.read(places.mark(of: keychain), limit: Self.maximumMarkBytes) else { return }
        try StoreFolder.replace(readingMark, with: mark)
    }

    /// Makes the copy's mark the keychain's; on disk when it returns.
    func keepReadingMark() throws(KeychainError) {
        guard let mark = try StoreFolder.read(readingMark, limit: Self.maximumMarkBytes),
            try StoreFolder.read(places.mark(of: keychain), limit: Self.maximumMarkBytes) != mark
        else { return }
        try StoreFolder.makeDurable(places.marks)
        try StoreFolder.replace(places.mark(of: keychain), with: mark)
    }

    func endReading() throws(KeychainError) { try StoreFolder.removeAll(reading) }
}
