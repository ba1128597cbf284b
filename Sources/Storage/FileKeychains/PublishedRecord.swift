import ChatelaineModel
import Glibc
import StoreEngine

/// Which files were published of a keychain, so that one that somebody has put into their place, as from a backup, is not written over.
package struct PublishedRecord {
    /// What tells a file from others that stand there by and by.
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

    /// The one that is there, and the one that is to take its place.
    private static let maximumMarks = 2
    private static let maximumBytes = 256

    /// Where it is kept.
    let path: String

    /// Beside the keychain that is worked on.
    package init(of keychain: String) { path = keychain + ".published" }

    /// Whether a file is one of those; none is where nothing was noted, or what cannot be read.
    func holds(_ status: stat) throws(KeychainError) -> Bool { try marks().contains(Mark(status)) }

    /// Notes a file before it gets its name, besides the one that has the name until then.
    func note(_ status: stat, besides former: stat?) throws(KeychainError) {
        var writer = CBORWriter(capacity: Self.maximumBytes)
        writer.writeMap { $0.writeArray(Field.marks, [Mark(status)] + (former.map { [Mark($0)] } ?? [])) }
        try StoreFolder.replace(path, with: writer.finishArray())
    }

    /// Nothing is published any more.
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
