import ChatelaineModel
import Foundation

/// A reference to a password in the keychain, as results carry it where `kSecReturnRef` asks for one.
///
/// It stands for the persistent reference of its item: two are equal when they name the same item, whether that is still
/// there or not. In a query it goes under `kSecValueRef`, or into the arrays of `kSecMatchItemList` and `kSecUseItemList`.
/// It opens nothing by itself: the program that uses it needs the access group of the item.
public final class SecKeychainItem: NSObject, CFTypeIdentified, Sendable {
    package let reference: PersistentReference

    package init(_ reference: PersistentReference) { self.reference = reference }

    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 260

    public override var hash: Int { reference.hashValue }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SecKeychainItem).map { $0.reference == reference } ?? false
    }

    public override var description: String {
        "<SecKeychainItem: \(reference.itemClass.name) \(Hexadecimal.text(of: reference.identifier.bytes))>"
    }
}

/// The type identifier of ``SecKeychainItem`` objects.
public func SecKeychainItemGetTypeID() -> CFTypeID { SecKeychainItem.cfTypeID }
