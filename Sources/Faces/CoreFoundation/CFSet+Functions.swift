import Foundation

/// The function that ``CFSetApplyFunction(_:_:_:)`` calls for each element, with the caller's context.
public typealias CFSetApplierFunction = @convention(c) (UnsafeRawPointer?, UnsafeMutableRawPointer?) -> Void

/// Makes a set from pointers to objects; nil where a pointer is null or the number is negative.
public func CFSetCreate(
    _ allocator: CFAllocator!, _ values: UnsafeMutablePointer<UnsafeRawPointer?>!, _ numValues: CFIndex,
    _ callBacks: UnsafePointer<CFSetCallBacks>!
) -> CFSet! {
    CFArrayCreate(allocator, values, numValues, nil).map { NSSet(array: $0.map { $0 }) }
}

/// Makes an immutable copy of a set.
public func CFSetCreateCopy(_ allocator: CFAllocator!, _ theSet: CFSet!) -> CFSet! { theSet?.copy() as? NSSet }

/// Makes an empty mutable set; it grows beyond every capacity.
public func CFSetCreateMutable(
    _ allocator: CFAllocator!, _ capacity: CFIndex, _ callBacks: UnsafePointer<CFSetCallBacks>!
) -> CFMutableSet! { NSMutableSet() }

/// Makes a mutable copy of a set.
public func CFSetCreateMutableCopy(
    _ allocator: CFAllocator!, _ capacity: CFIndex, _ theSet: CFSet!
) -> CFMutableSet! { theSet?.mutableCopy() as? NSMutableSet }

/// Returns the number of elements.
public func CFSetGetCount(_ theSet: CFSet!) -> CFIndex { theSet?.count ?? 0 }

/// Returns how many elements are equal to this object: one or none.
public func CFSetGetCountOfValue(_ theSet: CFSet!, _ value: UnsafeRawPointer!) -> CFIndex {
    CFSetContainsValue(theSet, value) ? 1 : 0
}

/// Returns whether an element is equal to this object.
public func CFSetContainsValue(_ theSet: CFSet!, _ value: UnsafeRawPointer!) -> Bool {
    CFSetGetValue(theSet, value) != nil
}

/// Returns a pointer to the element that is equal to this object, or nil; the set keeps the element.
public func CFSetGetValue(_ theSet: CFSet!, _ value: UnsafeRawPointer!) -> UnsafeRawPointer! {
    guard let theSet, let value else { return nil }
    return StoredObjects.member(theSet, value)
}

/// Stores a pointer to the element that is equal to `candidate`, and returns whether there is one.
@discardableResult
public func CFSetGetValueIfPresent(
    _ theSet: CFSet!, _ candidate: UnsafeRawPointer!, _ value: UnsafeMutablePointer<UnsafeRawPointer?>!
) -> Bool {
    guard let found = CFSetGetValue(theSet, candidate) else { return false }
    value?.pointee = found
    return true
}

/// Writes pointers to all elements; the caller has room for as many as the set has.
public func CFSetGetValues(_ theSet: CFSet!, _ values: UnsafeMutablePointer<UnsafeRawPointer?>!) {
    guard let theSet, let values else { return }
    StoredObjects.members(theSet, values)
}

/// Calls a function for every element.
public func CFSetApplyFunction(
    _ theSet: CFSet!, _ applier: CFSetApplierFunction!, _ context: UnsafeMutableRawPointer!
) {
    guard let theSet, let applier else { return }
    for value in StoredObjects.members(of: theSet) { applier(value, context) }
}

/// Adds an element, unless an equal one is there.
public func CFSetAddValue(_ theSet: CFMutableSet!, _ value: UnsafeRawPointer!) {
    guard let theSet, let value = StoredObjects.object(value), !theSet.contains(value) else { return }
    theSet.add(value)
}

/// Puts an element in the place of an equal one, or adds it.
public func CFSetSetValue(_ theSet: CFMutableSet!, _ value: UnsafeRawPointer!) {
    // The set may hold the only reference to the value.
    guard let theSet, let value = StoredObjects.object(value) else { return }
    theSet.remove(value)
    theSet.add(value)
}

/// Puts an element in the place of an equal one, if there is one.
public func CFSetReplaceValue(_ theSet: CFMutableSet!, _ value: UnsafeRawPointer!) {
    guard CFSetContainsValue(theSet, value) else { return }
    CFSetSetValue(theSet, value)
}

/// Removes the element that is equal to this object, if there is one.
public func CFSetRemoveValue(_ theSet: CFMutableSet!, _ value: UnsafeRawPointer!) {
    guard let value = StoredObjects.object(value) else { return }
    theSet?.remove(value)
}

/// Removes every element.
public func CFSetRemoveAllValues(_ theSet: CFMutableSet!) { theSet?.removeAllObjects() }
