import ChatelaineModel
import Foundation

/// A reference to a password in a keychain, as results contain it for `kSecReturnRef`.
///
/// The object wraps the persistent reference of its item. Two objects are equal when they name the same item, even if
/// that item no longer exists. A query takes the object under `kSecValueRef`, or in the arrays of `kSecMatchItemList`
/// and `kSecUseItemList`. The object grants no access by itself. In the data protection keychain, the program needs
/// the item's access group; in a file keychain, the item's access object says who may use the item.
public final class SecKeychainItem: NSObject, CFTypeIdentified, Sendable {
    package enum Item: Sendable {
        case dataProtection(PersistentReference)
        case file(KeychainItemHandle)
    }

    package let item: Item

    package convenience init(_ reference: PersistentReference) { self.init(.dataProtection(reference)) }
    package convenience init(_ handle: KeychainItemHandle) { self.init(.file(handle)) }

    private init(_ item: Item) { self.item = item }

    /// Class and identifier of the item, in either kind of keychain.
    package var reference: PersistentReference {
        switch item {
        case .dataProtection(let reference): reference
        case .file(let handle): handle.reference.item
        }
    }

    /// The bytes that `kSecValuePersistentRef` holds.
    package var persistentBytes: [UInt8] {
        switch item {
        case .dataProtection(let reference): reference.bytes
        case .file(let handle): handle.reference.bytes
        }
    }

    package var queryValue: QueryValue {
        switch item {
        case .dataProtection(let reference): .reference(reference)
        case .file(let handle): .keychainItem(handle)
        }
    }

    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 260

    public override var hash: Int { persistentBytes.hashValue }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SecKeychainItem).map { $0.persistentBytes == persistentBytes } ?? false
    }

    public override var description: String {
        "<SecKeychainItem: \(reference.itemClass.name) \(Hexadecimal.text(of: reference.identifier.bytes))>"
    }
}

/// The type identifier of ``SecKeychainItem`` objects.
public func SecKeychainItemGetTypeID() -> CFTypeID { SecKeychainItem.cfTypeID }
