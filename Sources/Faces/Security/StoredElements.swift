import CoreFoundation
import Foundation

extension NSArray {
    /// The object at an index, as the array stores it.
    ///
    /// Foundation's own method first makes a Swift value of the object, and of everything inside it. That never ends
    /// where an array contains itself. An array of any other class makes its objects on request, and nothing else would
    /// keep them alive.
    func storedObject(at index: Int) -> AnyObject {
        let type = type(of: self)
        guard type == NSArray.self || type == NSMutableArray.self,
            let object = StoredObjects.element(self, index)
        else { return object(at: index) as AnyObject }
        // SAFETY: the array holds its element; like any reading of an array, it must not be changed meanwhile.
        return Unmanaged<AnyObject>.fromOpaque(object).takeUnretainedValue()
    }
}
