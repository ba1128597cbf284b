import Foundation

extension NSMutableDictionary {
    /// Gives a key a value, or removes the key where the value is nil.
    ///
    /// Foundation on Linux only has the reading half of this pair, and much keychain code builds its queries with
    /// this method.
    public func setValue(_ value: Any?, forKey key: String) {
        if let value {
            setObject(value, forKey: NSString(string: key))
        } else {
            removeObject(forKey: NSString(string: key))
        }
    }
}
