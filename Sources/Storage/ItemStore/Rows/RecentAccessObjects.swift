import ChatelaineModel
import ChatelaineSystem

/// The decoded access objects of recently used items: programs use the same few items again and again.
///
/// A look-up takes an object's bytes from the row's seal, and an entry counts only for the same bytes. So an item that
/// was changed, or restored from a copy, is decoded anew.
final class RecentAccessObjects: Sendable {
    private struct Entry {
        let encoding: [UInt8]
        let object: AccessObject
    }

    /// More entries than most keychains have items; one more empties the cache.
    static let maximumCount = 256
    /// The largest cached encoding; larger ones are decoded each time, so that the cache takes less than a mebibyte.
    static let maximumBytes = 2048

    private let entries = AdaptiveMutex<[ItemIdentifier: Entry]>([:])

    /// The decoded access object of an item.
    ///
    /// - Throws: `errSecDecode` for an encoding that no version of this software has written.
    func object(_ encoding: [UInt8], of item: ItemIdentifier) throws(KeychainError) -> AccessObject {
        if let entry = entries.withLock({ $0[item] }), entry.encoding == encoding { return entry.object }
        let object = try Self.decoded(encoding)
        guard encoding.count <= Self.maximumBytes else { return object }
        entries.withLock { entries in
            if entries.count >= Self.maximumCount { entries.removeAll(keepingCapacity: true) }
            entries[item] = Entry(encoding: encoding, object: object)
        }
        return object
    }

    /// The number of entries, for tests.
    var count: Int { entries.withLock { $0.count } }

    private static func decoded(_ encoding: [UInt8]) throws(KeychainError) -> AccessObject {
        let object = encoding.withUnsafeBytes { bytes in
            Result { () throws(CBORError) in
                var reader = CBORReader(bytes)
                let object = try AccessObject(from: &reader)
                try reader.finish()
                return object
            }
        }
        guard case .success(let object) = object else {
            throw KeychainError(.decode, "the access object of an item cannot be read")
        }
        return object
    }
}
