import ChatelaineModel
import Foundation

/// What protects an item, as results carry it under `kSecAttrAccessControl`.
///
/// Two are equal when they describe the same protection. A result's object can be used in a query again.
public final class SecAccessControl: NSObject, CFTypeIdentified, Sendable {
    package let control: AccessControl

    package init(_ control: AccessControl) { self.control = control }

    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 256

    public override var hash: Int { control.hashValue }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SecAccessControl).map { $0.control == control } ?? false
    }

    public override var description: String { "<SecAccessControl: \(control.protection.name)>" }
}

/// The type identifier of ``SecAccessControl`` objects.
public func SecAccessControlGetTypeID() -> CFTypeID { SecAccessControl.cfTypeID }
