import Foundation

/// The function that ``CFDictionaryApplyFunction(_:_:_:)`` calls for each pair, with the caller's context.
public typealias CFDictionaryApplierFunction =
    @convention(c) (UnsafeRawPointer?, UnsafeRawPointer?, UnsafeMutableRawPointer?) -> Void

/// Makes a dictionary from pointers to objects; of equal keys the first one counts.
///
/// The result is nil where a pointer is null or the number is negative.
public func CFDictionaryCreate(
    _ allocator: CFAllocator!, _ keys: UnsafeMutablePointer<UnsafeRawPointer?>!,
    _ values: UnsafeMutablePointer<UnsafeRawPointer?>!, _ numValues: CFIndex,
    _ keyCallBacks: UnsafePointer<CFDictionaryKeyCallBacks>!,
    _ valueCallBacks: UnsafePointer<CFDictionaryValueCallBacks>!
) -> CFDictionary! {
    guard numValues >= 0 else { return nil }
    var pairs: [NSObject: AnyObject] = [:]
    for index in 0..<numValues {
        // SAFETY: the caller has `numValues` keys and values.
        guard let key = StoredObjects.object(keys?[index]) as? NSObject,
            let value = StoredObjects.object(values?[index])
        else { return nil }
        if pairs[key] == nil { pairs[key] = value }
    }
    return NSDictionary(objects: Array(pairs.values), forKeys: Array(pairs.keys))
}

/// Makes an immutable copy of a dictionary.
public func CFDictionaryCreateCopy(_ allocator: CFAllocator!, _ theDict: CFDictionary!) -> CFDictionary! {
    theDict?.copy() as? NSDictionary
}

/// Makes an empty mutable dictionary; it grows beyond every capacity.
public func CFDictionaryCreateMutable(
    _ allocator: CFAllocator!, _ capacity: CFIndex, _ keyCallBacks: UnsafePointer<CFDictionaryKeyCallBacks>!,
    _ valueCallBacks: UnsafePointer<CFDictionaryValueCallBacks>!
) -> CFMutableDictionary! {
    NSMutableDictionary()
}

/// Makes a mutable copy of a dictionary.
public func CFDictionaryCreateMutableCopy(
    _ allocator: CFAllocator!, _ capacity: CFIndex, _ theDict: CFDictionary!
) -> CFMutableDictionary! {
    theDict?.mutableCopy() as? NSMutableDictionary
}

/// Returns the number of pairs.
public func CFDictionaryGetCount(_ theDict: CFDictionary!) -> CFIndex { theDict?.count ?? 0 }

/// Returns how many pairs have a key: one or none.
public func CFDictionaryGetCountOfKey(_ theDict: CFDictionary!, _ key: UnsafeRawPointer!) -> CFIndex {
    CFDictionaryContainsKey(theDict, key) ? 1 : 0
}

/// Returns how many pairs have a value that is equal to this one.
public func CFDictionaryGetCountOfValue(_ theDict: CFDictionary!, _ value: UnsafeRawPointer!) -> CFIndex {
    guard let theDict, let value = StoredObjects.object(value) else { return 0 }
    return theDict.allValues.count { CFEqual($0 as AnyObject, value) }
}

/// Returns whether a pair has a key that is equal to this one.
public func CFDictionaryContainsKey(_ theDict: CFDictionary!, _ key: UnsafeRawPointer!) -> Bool {
    CFDictionaryGetValue(theDict, key) != nil
}

/// Returns whether a pair has a value that is equal to this one.
public func CFDictionaryContainsValue(_ theDict: CFDictionary!, _ value: UnsafeRawPointer!) -> Bool {
    CFDictionaryGetCountOfValue(theDict, value) > 0
}

/// Returns a pointer to the value of a key, or nil; the dictionary keeps the object.
public func CFDictionaryGetValue(_ theDict: CFDictionary!, _ key: UnsafeRawPointer!) -> UnsafeRawPointer! {
    guard let theDict, let key else { return nil }
    return StoredObjects.value(theDict, key)
}

/// Stores a pointer to the value of a key at `value`, and returns whether there is one.
@discardableResult
public func CFDictionaryGetValueIfPresent(
    _ theDict: CFDictionary!, _ key: UnsafeRawPointer!, _ value: UnsafeMutablePointer<UnsafeRawPointer?>!
) -> Bool {
    guard let found = CFDictionaryGetValue(theDict, key) else { return false }
    value?.pointee = found
    return true
}

/// Writes pointers to all keys and values, in the same order; the caller has room for as many as the dictionary has.
public func CFDictionaryGetKeysAndValues(
    _ theDict: CFDictionary!, _ keys: UnsafeMutablePointer<UnsafeRawPointer?>!,
    _ values: UnsafeMutablePointer<UnsafeRawPointer?>!
) {
    guard let theDict else { return }
    StoredObjects.keysAndValues(theDict, keys, values)
}

/// Calls a function for every pair.
public func CFDictionaryApplyFunction(
    _ theDict: CFDictionary!, _ applier: CFDictionaryApplierFunction!, _ context: UnsafeMutableRawPointer!
) {
    guard let theDict, let applier else { return }
    for (key, value) in StoredObjects.pairs(of: theDict) { applier(key, value, context) }
}

/// Adds a pair, unless the key already exists.
public func CFDictionaryAddValue(
    _ theDict: CFMutableDictionary!, _ key: UnsafeRawPointer!, _ value: UnsafeRawPointer!
) {
    if !CFDictionaryContainsKey(theDict, key) { CFDictionarySetValue(theDict, key, value) }
}

/// Adds a pair, or replaces the value of an existing key.
public func CFDictionarySetValue(
    _ theDict: CFMutableDictionary!, _ key: UnsafeRawPointer!, _ value: UnsafeRawPointer!
) {
    guard let key = StoredObjects.object(key) as? NSObject, let value = StoredObjects.object(value) else { return }
    theDict?.setObject(value, forKey: key)
}

/// Replaces the value of a key, if the key exists.
public func CFDictionaryReplaceValue(
    _ theDict: CFMutableDictionary!, _ key: UnsafeRawPointer!, _ value: UnsafeRawPointer!
) {
    if CFDictionaryContainsKey(theDict, key) { CFDictionarySetValue(theDict, key, value) }
}

/// Removes the pair of a key, if there is one.
public func CFDictionaryRemoveValue(_ theDict: CFMutableDictionary!, _ key: UnsafeRawPointer!) {
    guard let key = StoredObjects.object(key) as? NSObject else { return }
    theDict?.removeObject(forKey: key)
}

/// Removes every pair.
public func CFDictionaryRemoveAllValues(_ theDict: CFMutableDictionary!) { theDict?.removeAllObjects() }
