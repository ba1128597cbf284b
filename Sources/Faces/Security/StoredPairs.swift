import CoreFoundation
import Foundation

/// The pairs of a dictionary as Foundation stores them.
enum StoredPairs {
    /// Calls `body` with each pair until it returns false.
    ///
    /// Returns false where the dictionary is an instance of neither of Foundation's own two classes.
    ///
    /// Any other class makes its objects on request, and nothing would keep them alive.
    static func visit(_ dictionary: NSDictionary, _ body: (_ key: AnyObject, _ value: AnyObject) -> Bool) -> Bool {
        let type = type(of: dictionary)
        let count = dictionary.count
        guard type == NSDictionary.self || type == NSMutableDictionary.self else { return false }
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
