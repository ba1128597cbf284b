import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Foundation

/// A search for items of file keychains that returns one item after the other.
///
/// The search runs when the first item is requested.
public final class SecKeychainSearch: NSObject, CFTypeIdentified, Sendable {
    private let query: ItemQuery
    private let scope: KeychainScope
    /// The remaining items in reverse order; nil before the first item.
    private let rest = AdaptiveMutex<[KeychainItemHandle]?>(nil)

    package init(
        _ code: UInt32, _ list: UnsafePointer<SecKeychainAttributeList>?, in keychains: [SecKeychain]?
    ) throws(KeychainError) {
        var query = ItemQuery(itemClass: try ItemClass(code: code))
        query.attributes = try AttributeLists.read(list, of: query.itemClass)
        if query.itemClass == .key { query.attributes[.keyClass] = .number(Self.half(code).rawValue) }
        query.limit = .all
        self.query = query
        scope = try KeychainPasswordCalls.scope(of: keychains)
    }

    private static func half(_ code: UInt32) -> KeyHalf {
        switch SecItemClass(rawValue: code) {
        case .publicKeyItemClass: .publicKey
        case .privateKeyItemClass: .privateKey
        default: .symmetric
        }
    }

    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 266

    /// - Throws: `errSecItemNotFound` after the last item.
    package func next() throws(KeychainError) -> SecKeychainItem {
        let handle = try rest.withLock { (rest) throws(KeychainError) in
            if rest == nil {
                var query = query
                query.authenticationUI = KeychainItemCalls.authenticationUI
                rest = try KeychainItemCalls.client.find(query, in: scope).map(\.handle).reversed()
            }
            return rest?.popLast()
        }
        guard let handle else { throw KeychainError(.itemNotFound, "the search has told all that it found") }
        return SecKeychainItem(handle)
    }
}

/// The type identifier of ``SecKeychainSearch`` objects.
public func SecKeychainSearchGetTypeID() -> CFTypeID { SecKeychainSearch.cfTypeID }

/// Makes a search for items of a class with these attributes; without attributes, for all items of the class.
///
/// - Parameter keychainOrArray: a keychain, an array of keychains, or nil for the search list.
/// - Returns: `errSecNoSuchClass` for an unknown class, `errSecNoSuchAttr`, `errSecParam`.
@discardableResult
public func SecKeychainSearchCreateFromAttributes(
    _ keychainOrArray: CFTypeRef?, _ itemClass: SecItemClass,
    _ attrList: UnsafePointer<SecKeychainAttributeList>?, _ searchRef: UnsafeMutablePointer<SecKeychainSearch?>
) -> OSStatus {
    CallStatus.of("SecKeychainSearchCreateFromAttributes") { () throws(KeychainError) in
        searchRef.pointee = try SecKeychainSearch(
            itemClass.rawValue, attrList, in: try KeychainPasswordCalls.keychains(keychainOrArray))
    }
}

/// Copies the next item that a search finds; `errSecItemNotFound` after the last.
@discardableResult
public func SecKeychainSearchCopyNext(
    _ searchRef: SecKeychainSearch, _ itemRef: UnsafeMutablePointer<SecKeychainItem?>
) -> OSStatus {
    CallStatus.of("SecKeychainSearchCopyNext") { () throws(KeychainError) in
        itemRef.pointee = try searchRef.next()
    }
}
