import CoreFoundation
import Foundation

/// The pairs of a dictionary as Foundation stores them.
enum StoredPairs {
    /// Enough for any query; larger dictionaries take the slow way (behaviour/limits.md, 1, refuses them anyway).
    private static let maximumCount = 64

    /// Shows `body` the pairs until it answers false; false where the dictionary is none of Foundation's own two classes.
    ///
    /// Any other class makes its objects as it is asked, and nothing would keep them.
    static func visit(_ dictionary: NSDictionary, _ body: (_ key: AnyObject, _ value: AnyObject) -> Bool) -> Bool {
        let type = type(of: dictionary)
        let count = dictionary.count
        guard type == NSDictionary.self || type == NSMutableDictionary.self, count <= maximumCount else { return false }
        withUnsafeTemporaryAllocation(of: Unmanaged<AnyObject>?.self, capacity: 2 * max(count, 1)) { places in
            places.initialize(repeating: nil)
            guard let keys = places.baseAddress else { return }
            let values = keys + max(count, 1)
            // SAFETY: the function writes `count` keys and as many values, all of which the dictionary holds until the
            // end of this call; like any reading of a dictionary, it must not be changed meanwhile.
            withExtendedLifetime(dictionary) {
                StoredObjects.keysAndValues(dictionary, keys, values)
                for index in 0..<count {
                    guard let key = keys[index]?.takeUnretainedValue(),
                        let value = values[index]?.takeUnretainedValue(),
                        body(key, value)
                    else { return }
                }
            }
        }
        return true
    }
}
