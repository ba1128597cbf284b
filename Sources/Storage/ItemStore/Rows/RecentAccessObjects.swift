import ChatelaineModel
import ChatelaineSystem

/// The access objects of a store's items, decoded, of those that were used last: programs use the same few again and again.
///
/// Each is that of its bytes, which come out of the row's seal with every look-up. So an item that was changed, or put back, has its own.
final class RecentAccessObjects: Sendable {
    private struct Entry {
        let encoding: [UInt8]
        let object: AccessObject
    }

    /// More than most keychains have; another one has it begin anew.
    static let maximumCount = 256
    /// Larger ones are decoded each time, so that all of them take less than a mebibyte.
    static let maximumBytes = 2048

    private let entries = AdaptiveMutex<[ItemIdentifier: Entry]>([:])

    /// - Throws: `errSecDecode` for one that no version of ours has written.
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

    /// How many there are, for tests.
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
