import Foundation

/// The function that ``CFArrayApplyFunction(_:_:_:_:)`` calls for each element, with the caller's context.
public typealias CFArrayApplierFunction = @convention(c) (UnsafeRawPointer?, UnsafeMutableRawPointer?) -> Void

/// Adds the elements of a range of another array behind the last one.
public func CFArrayAppendArray(_ theArray: CFMutableArray!, _ otherArray: CFArray!, _ otherRange: CFRange) {
    guard let theArray, let otherArray else { return }
    let elements = indices(otherRange, of: otherArray).compactMap { element(otherArray, $0) }
    for element in elements { theArray.add(element) }
}

/// Calls a function for every element of a range.
public func CFArrayApplyFunction(
    _ theArray: CFArray!, _ range: CFRange, _ applier: CFArrayApplierFunction!, _ context: UnsafeMutableRawPointer!
) {
    guard let theArray, let applier else { return }
    for index in indices(range, of: theArray) { applier(StoredObjects.element(theArray, index), context) }
}

/// Sorts the elements of a range; equal ones keep their order.
public func CFArraySortValues(
    _ theArray: CFMutableArray!, _ range: CFRange, _ comparator: CFComparatorFunction!,
    _ context: UnsafeMutableRawPointer!
) {
    guard let theArray, let comparator else { return }
    let indices = indices(range, of: theArray)
    guard let first = indices.first else { return }
    // The array's own objects are kept here, so that the pointers stay valid.
    let sorted = indices.compactMap { element(theArray, $0) }.sorted { left, right in
        let (left, right) = (Unmanaged.passUnretained(left).toOpaque(), Unmanaged.passUnretained(right).toOpaque())
        return comparator(left, right, context) == .compareLessThan
    }
    for (index, element) in zip(first..., sorted) { theArray.replaceObject(at: index, with: element) }
}

/// The indices of a range, as far as the array goes.
private func indices(_ range: CFRange, of array: NSArray) -> ArraySlice<Int> {
    guard range.location >= 0, range.length >= 0 else { return [] }
    return Array(0..<array.count).dropFirst(range.location).prefix(range.length)
}

private func element(_ array: NSArray, _ index: Int) -> AnyObject? {
    StoredObjects.object(StoredObjects.element(array, index))
}
