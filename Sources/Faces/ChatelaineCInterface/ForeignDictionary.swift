import CChatelaineFoundation
import ChatelaineModel
import Foundation
import Security

/// Takes the pairs out of a dictionary that a C program made.
enum ForeignDictionary {
    /// - Parameter isElement: as for ``QueryDictionary/pairs(of:isElement:)``.
    static func pairs(
        of dictionary: UnsafeRawPointer?, isElement: Bool = false
    ) throws(KeychainError) -> [ItemCalls.Pair] {
        guard let pairs = try optionalPairs(of: dictionary, isElement: isElement) else {
            throw KeychainError(.param, "the pointer leads to something that is no dictionary")
        }
        return pairs
    }

    /// The pairs of an object that is the value of a key; nil if it is no dictionary.
    ///
    /// - Throws: as ``pairs(of:isElement:)``, for a dictionary whose contents cannot be trusted.
    static func nestedPairs(of object: UnsafeRawPointer) throws(KeychainError) -> [ItemCalls.Pair]? {
        try optionalPairs(of: object, isElement: true)
    }

    private static func optionalPairs(
        of dictionary: UnsafeRawPointer?, isElement: Bool
    ) throws(KeychainError) -> [ItemCalls.Pair]? {
        var taken: OpaquePointer?
        let outcome = Int(chatelaine_pairs_take(dictionary, &taken))
        if let taken {
            defer { chatelaine_pairs_free(taken) }
            guard outcome == CHATELAINE_PAIRS_TAKEN else { throw noObject(taken) }
            return try read(taken, isElement: isElement)
        }
        guard outcome != CHATELAINE_PAIRS_NO_DICTIONARY else { return nil }
        guard outcome == CHATELAINE_PAIRS_NATIVE, let dictionary else { throw mistake(outcome) }
        // SAFETY: an object of a class of Swift's below NSDictionary, as CoreFoundation itself says; the caller keeps
        // it.
        return try QueryDictionary.pairs(
            of: Unmanaged<NSDictionary>.fromOpaque(dictionary).takeUnretainedValue(), isElement: isElement)
    }

    private static func mistake(_ outcome: Int) -> KeychainError {
        switch outcome {
        case CHATELAINE_PAIRS_TOO_MANY:
            KeychainError(.param, "the dictionary has more than \(CHATELAINE_PAIRS_LIMIT) pairs")
        case CHATELAINE_PAIRS_CHANGING:
            KeychainError(.param, "the dictionary is changed by another thread all the time")
        case CHATELAINE_PAIRS_NO_MEMORY:
            KeychainError(.allocate, "there is no memory to read the dictionary")
        default: KeychainError(.param, "the dictionary is of a make that is not read")
        }
    }

    /// The error for a pointer that leads to no object.
    ///
    /// The last of the taken pairs is the one with the bad pointer; its key names the place.
    private static func noObject(_ taken: OpaquePointer) -> KeychainError {
        let count = chatelaine_pairs_count(taken)
        // SAFETY: the pointer is to the last of `count` pairs, which live until the caller frees them.
        let last = count > 0 ? chatelaine_pairs_at(taken, count - 1)?.pointee : nil
        guard let name = last.flatMap({ ForeignValue($0.key).copiedText }), !name.isEmpty else {
            return KeychainError(.param, "a key of the dictionary is a pointer to something that is no object")
        }
        return KeychainError.noObject(for: name)
    }

    private static func read(_ pairs: OpaquePointer, isElement: Bool) throws(KeychainError) -> [ItemCalls.Pair] {
        let count = chatelaine_pairs_count(pairs)
        var result: [ItemCalls.Pair] = []
        result.reserveCapacity(count)
        for index in 0..<count {
            // SAFETY: the pointer is to one of `count` pairs, which live until the caller frees them.
            guard let pair = chatelaine_pairs_at(pairs, index)?.pointee else { continue }
            guard let name = ForeignValue(pair.key).text else {
                throw KeychainError(.param, "a key of the dictionary is not a string")
            }
            result.append((name, ForeignValue(pair.value).meaning(for: name, isElement: isElement)))
        }
        return result
    }
}
