import Foundation

// The forms with keys of type `any NSCopying`, as programs from Apple's platforms write them:
// `query.setObject(value, forKey: kSecClass as! NSCopying)`.
//
// Foundation on Linux declares keys as `AnyHashable` or `NSObject`, to which `any NSCopying` does not convert. All
// forms are disfavoured, so that nothing becomes ambiguous for keys of both types. A key that is no `NSObject` stores
// nothing, since Foundation could not compare it.

extension NSMutableDictionary {
    /// Gives a key a value.
    @_disfavoredOverload public func setObject(_ anObject: Any, forKey aKey: any NSCopying) {
        if let key = aKey as? NSObject { setObject(anObject, forKey: AnyHashable(key)) }
    }

    /// The value of a key; nil removes it.
    @_disfavoredOverload public subscript(key: any NSCopying) -> Any? {
        get { object(forKey: key) }
        set {
            if let newValue { setObject(newValue, forKey: key) } else { removeObject(forKey: key) }
        }
    }
}

extension NSDictionary {
    /// Makes a dictionary of one pair.
    @_disfavoredOverload public convenience init(object: Any, forKey key: any NSCopying) {
        self.init(objects: [object], forKeys: [key])
    }

    /// Makes a dictionary of the pairs; what has no partner in the other array is left out.
    @_disfavoredOverload public convenience init(objects: [Any], forKeys keys: [any NSCopying]) {
        let pairs = zip(objects, keys).compactMap { object, key in (key as? NSObject).map { (object, $0) } }
        self.init(objects: pairs.map(\.0), forKeys: pairs.map(\.1))
    }
}
