import Foundation

/// Makes an array from pointers to objects; nil where a pointer is null or the number is negative.
public func CFArrayCreate(
    _ allocator: CFAllocator!, _ values: UnsafeMutablePointer<UnsafeRawPointer?>!, _ numValues: CFIndex,
    _ callBacks: UnsafePointer<CFArrayCallBacks>!
) -> CFArray! {
    guard numValues >= 0 else { return nil }
    var elements: [AnyObject] = []
    for index in 0..<numValues {
        // SAFETY: the caller has `numValues` pointers.
        guard let element = StoredObjects.object(values?[index]) else { return nil }
        elements.append(element)
    }
    return NSArray(array: elements)
}

/// Makes an immutable copy of an array.
public func CFArrayCreateCopy(_ allocator: CFAllocator!, _ theArray: CFArray!) -> CFArray! {
    theArray?.copy() as? NSArray
}

/// Makes an empty mutable array; it grows beyond every capacity.
public func CFArrayCreateMutable(
    _ allocator: CFAllocator!, _ capacity: CFIndex, _ callBacks: UnsafePointer<CFArrayCallBacks>!
) -> CFMutableArray! {
    NSMutableArray()
}

/// Makes a mutable copy of an array.
public func CFArrayCreateMutableCopy(
    _ allocator: CFAllocator!, _ capacity: CFIndex, _ theArray: CFArray!
) -> CFMutableArray! {
    theArray?.mutableCopy() as? NSMutableArray
}

/// Returns the number of elements.
public func CFArrayGetCount(_ theArray: CFArray!) -> CFIndex { theArray?.count ?? 0 }

/// Returns a pointer to an element, which the array keeps; nil for an index beyond the end.
public func CFArrayGetValueAtIndex(_ theArray: CFArray!, _ idx: CFIndex) -> UnsafeRawPointer! {
    guard let theArray, idx >= 0, idx < theArray.count else { return nil }
    return StoredObjects.element(theArray, idx)
}

/// Returns whether a range contains an element that is equal to this object.
public func CFArrayContainsValue(_ theArray: CFArray!, _ range: CFRange, _ value: UnsafeRawPointer!) -> Bool {
    CFArrayGetFirstIndexOfValue(theArray, range, value) != kCFNotFound
}

/// Returns the index of the first element in a range that is equal to this object, or ``kCFNotFound``.
public func CFArrayGetFirstIndexOfValue(
    _ theArray: CFArray!, _ range: CFRange, _ value: UnsafeRawPointer!
) -> CFIndex {
    guard let theArray, let value = StoredObjects.object(value), range.location >= 0, range.length >= 0 else {
        return kCFNotFound
    }
    let indices = (0..<theArray.count).dropFirst(range.location).prefix(range.length)
    return indices.first { CFEqual(theArray.object(at: $0) as AnyObject, value) } ?? kCFNotFound
}

/// Adds an element behind the last one.
public func CFArrayAppendValue(_ theArray: CFMutableArray!, _ value: UnsafeRawPointer!) {
    guard let value = StoredObjects.object(value) else { return }
    theArray?.add(value)
}

/// Removes an element, if there is one.
public func CFArrayRemoveValueAtIndex(_ theArray: CFMutableArray!, _ idx: CFIndex) {
    guard let theArray, idx >= 0, idx < theArray.count else { return }
    theArray.removeObject(at: idx)
}

/// Removes every element.
public func CFArrayRemoveAllValues(_ theArray: CFMutableArray!) { theArray?.removeAllObjects() }
