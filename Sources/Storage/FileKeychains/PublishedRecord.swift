import ChatelaineModel
import Glibc
import StoreEngine

/// The record of a keychain's published files, which keeps a publication from overwriting a foreign file, as from a
/// backup.
package struct PublishedRecord {
    /// The properties that tell a published file from later ones at its path.
    private struct Mark: Equatable, CBORValue {
        private enum Field: UInt64, CBORField {
            case file = 0
            case size = 1
            case seconds = 2
            case nanoseconds = 3
        }

        private let file: UInt64
        private let size: UInt64
        private let seconds: UInt64
        private let nanoseconds: UInt64

        init(_ status: stat) {
            file = UInt64(status.st_ino)
            size = UInt64(bitPattern: Int64(status.st_size))
            seconds = UInt64(bitPattern: Int64(status.st_mtim.tv_sec))
            nanoseconds = UInt64(bitPattern: Int64(status.st_mtim.tv_nsec))
        }

        func encode(to writer: inout CBORWriter) {
            writer.writeMap {
                $0.write(Field.file, file)
                $0.write(Field.size, size)
                $0.write(Field.seconds, seconds)
                $0.write(Field.nanoseconds, nanoseconds)
            }
        }

        init(from reader: inout CBORReader) throws(CBORError) {
            var map = try CBORMap(reader)
            file = try map.read(Field.file)
            size = try map.read(Field.size)
            seconds = try map.read(Field.seconds)
            nanoseconds = try map.read(Field.nanoseconds)
            reader = try map.end()
        }
    }

    private enum Field: UInt64, CBORField {
        case marks = 0
    }

    /// The present file, and the file that is to replace it.
    private static let maximumMarks = 2
    private static let maximumBytes = 256

    /// The path of the record.
    let path: String

    /// Makes the record of a keychain, beside its file.
    package init(of keychain: String) { path = keychain + ".published" }

    /// Whether a file is one of the recorded ones; false where the record is missing or unreadable.
    func holds(_ status: stat) throws(KeychainError) -> Bool { try marks().contains(Mark(status)) }

    /// Records a file before it gets its name, beside the file that has the name until then.
    func note(_ status: stat, besides former: stat?) throws(KeychainError) {
        var writer = CBORWriter(capacity: Self.maximumBytes)
        writer.writeMap { $0.writeArray(Field.marks, [Mark(status)] + (former.map { [Mark($0)] } ?? [])) }
        try StoreFolder.replace(path, with: writer.finishArray())
    }

    /// Removes the record, since nothing is published any more.
    package func remove() throws(KeychainError) { try StoreFolder.removeAll(path) }

    private func marks() throws(KeychainError) -> [Mark] {
        guard let bytes = try StoreFolder.read(path, limit: Self.maximumBytes) else { return [] }
        let marks = try? bytes.withUnsafeBytes { bytes throws(CBORError) in
            var map = try CBORMap(CBORReader(bytes))
            let marks: [Mark] = try map.readArray(Field.marks, limit: Self.maximumMarks)
            try map.end().finish()
            return marks
        }
        return marks ?? []
    }
}
