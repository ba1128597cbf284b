import ChatelaineModel
import Foundation

/// A reference to a password in a keychain, as results carry it where `kSecReturnRef` asks for one.
///
/// It stands for the persistent reference of its item: two are equal when they name the same item, whether that is still
/// there or not. In a query it goes under `kSecValueRef`, or into the arrays of `kSecMatchItemList` and `kSecUseItemList`.
/// It opens nothing by itself: of the data protection keychain, the program that uses it needs the access group of the item; in a file
/// keychain, the item's access object says who may use it.
public final class SecKeychainItem: NSObject, CFTypeIdentified, Sendable {
    package enum Item: Sendable {
        case dataProtection(PersistentReference)
        case file(KeychainItemHandle)
    }

    package let item: Item

    package convenience init(_ reference: PersistentReference) { self.init(.dataProtection(reference)) }
    package convenience init(_ handle: KeychainItemHandle) { self.init(.file(handle)) }

    private init(_ item: Item) { self.item = item }

    /// Class and identifier of the item, whatever keychain it is in.
    package var reference: PersistentReference {
        switch item {
        case .dataProtection(let reference): reference
        case .file(let handle): handle.reference.item
        }
    }

    /// What `kSecValuePersistentRef` holds.
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
