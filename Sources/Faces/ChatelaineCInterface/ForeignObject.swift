import CChatelaineFoundation
import ChatelaineModel
import Foundation
import Security

/// Converts objects of our own types from and for C programs.
enum ForeignObject {
    /// Returns the content of a box, without trusting the pointer.
    ///
    /// - Throws: `errSecParam` for a null pointer and for everything that is not a box of this type.
    static func content<Content: NSObject>(
        _ object: UnsafeRawPointer?, _ type: BoxType, as _: Content.Type = Content.self
    ) throws(KeychainError) -> Content {
        var value = chatelaine_value()
        guard chatelaine_object_take(object, &value) else { throw noObject }
        defer { chatelaine_object_free(&value) }
        return try content(of: value, type)
    }

    /// Returns an item; as on macOS, a certificate or key of a file keychain is also an item.
    static func item(_ object: UnsafeRawPointer?) throws(KeychainError) -> SecKeychainItem {
        var value = chatelaine_value()
        guard chatelaine_object_take(object, &value) else { throw noObject }
        defer { chatelaine_object_free(&value) }
        guard Int(value.kind) == CHATELAINE_VALUE_BOX, let object = value.object else { throw noObject }
        for type in [BoxType.keychainItem, .certificate, .key] {
            switch type.content(of: object) {
            case let item as SecKeychainItem: return item
            case let certificate as SecCertificate: return try found(certificate.keychainItem)
            case let key as SecKey: return try found(key.keychainItem)
            default: continue
            }
        }
        throw noObject
    }

    private static func found(_ handle: KeychainItemHandle?) throws(KeychainError) -> SecKeychainItem {
        guard let handle else {
            throw KeychainError(.invalidItemReference, "the object was not found in a file keychain")
        }
        return SecKeychainItem(handle)
    }

    /// Returns the contents of the boxes in an array; nil for a null pointer.
    ///
    /// - Parameter limit: the largest number of elements, less than ``CHATELAINE_LIST_LIMIT``.
    static func contents<Content: NSObject>(
        _ array: UnsafeRawPointer?, _ type: BoxType, limit: Int, tooMany: KeychainError
    ) throws(KeychainError) -> [Content]? {
        guard let array else { return nil }
        var value = chatelaine_value()
        guard chatelaine_object_take(array, &value) else { throw noObject }
        defer { chatelaine_object_free(&value) }
        guard Int(value.kind) == CHATELAINE_VALUE_ARRAY else {
            throw KeychainError(.param, "the list is no CFArray")
        }
        guard value.count <= limit else { throw tooMany }
        var contents: [Content] = []
        // SAFETY: there are `count` elements, which live until the value is freed.
        for element in UnsafeBufferPointer(start: value.elements, count: value.count) {
            contents.append(try content(of: element, type))
        }
        return contents
    }

    static func applications(_ array: UnsafeRawPointer?) throws(KeychainError) -> [SecTrustedApplication]? {
        try contents(
            array, .trustedApplication, limit: ACLLimits.applications, tooMany: AccessCalls.tooMany)
    }

    private static func content<Content: NSObject>(
        of value: chatelaine_value, _ type: BoxType
    ) throws(KeychainError) -> Content {
        guard Int(value.kind) == CHATELAINE_VALUE_BOX, let object = value.object,
            let content = type.content(of: object) as? Content
        else { throw noObject }
        return content
    }

    private static var noObject: KeychainError {
        KeychainError(.param, "an argument, or what it holds, is null or another object than it has to be")
    }

    // MARK: Results

    /// Makes a box with one reference, which the caller owns.
    static func make(_ content: NSObject, _ type: BoxType) throws(KeychainError) -> UnsafeRawPointer {
        guard let object = type.make(content) else { throw noMemory }
        return object
    }

    static func make(_ contents: [NSObject], _ type: BoxType) throws(KeychainError) -> UnsafeRawPointer {
        var objects: [UnsafeRawPointer?] = []
        for content in contents {
            guard let object = type.make(content) else {
                for object in objects { chatelaine_release(object) }
                throw noMemory
            }
            objects.append(object)
        }
        guard let array = chatelaine_make_array(&objects, objects.count) else { throw noMemory }
        return array
    }

    static func text(_ text: String) throws(KeychainError) -> UnsafeRawPointer {
        guard let object = ForeignResult.text(text) else { throw noMemory }
        return object
    }

    /// - Throws: `errSecParam` where the pointer to the place for a result is null.
    static func required<Place>(_ place: UnsafeMutablePointer<Place>?) throws(KeychainError) -> UnsafeMutablePointer<
        Place
    > {
        guard let place else { throw KeychainError(.param, "the pointer to the place for a result is null") }
        return place
    }

    private static var noMemory: KeychainError { KeychainError(.allocate, "there is no memory for the result") }
}
