import ChatelaineMemory
import ChatelaineModel
import Foundation

/// Takes the pairs out of a caller's dictionary, once; ``QueryParser`` interprets them.
///
/// Enumerating is the only safe way through an NSDictionary of unknown make: a look-up by a Swift string crashes
/// where C made the dictionary. Enumerating is also slow, since Foundation first makes Swift values of all keys and
/// objects. Foundation's own two classes hand out the stored objects directly (``StoredPairs``), in a tenth of the
/// time.
package enum QueryDictionary {
    package typealias Pair = (key: String, value: QueryValue)

    /// - Parameter isElement: whether the dictionary is itself a value; arrays and dictionaries inside it are then
    ///   ignored.
    package static func pairs(
        of dictionary: CFDictionary, isElement: Bool = false
    ) throws(KeychainError) -> [Pair] {
        var pairs: [Pair] = []
        pairs.reserveCapacity(dictionary.count)
        var hasForeignKey = false
        func take(_ key: AnyObject, _ value: AnyObject) -> Bool {
            guard let key = text(key) else {
                hasForeignKey = true
                return false
            }
            pairs.append((key, Self.value(value, for: key, isElement: isElement)))
            return true
        }
        if !StoredPairs.visit(dictionary, take) {
            dictionary.enumerateKeysAndObjects(options: []) { key, value, stop in
                if !take(key as AnyObject, value as AnyObject) { stop.pointee = true }
            }
        }
        guard !hasForeignKey else { throw KeychainError(.param, "a key of the dictionary is not a string") }
        return pairs
    }

    /// Converts the object of a key, which may take numbers and no booleans.
    private static func value(_ object: AnyObject, for key: String, isElement: Bool) -> QueryValue {
        // Later a boolean is the number 0 or 1.
        if type(of: object) == boolean, !QueryValue.isBooleanTaken(by: key) { return .other }
        return value(object, isSecret: key == "v_Data", isElement: isElement)
    }

    /// Foundation's class of its two booleans.
    private static let boolean: AnyClass = type(of: NSNumber(value: true))

    private static func text(_ object: AnyObject) -> String? {
        if let text = object as? NSString { return text as String }
        return object as? String
    }

    /// Converts one object of a dictionary to a query value.
    ///
    /// - Parameter isElement: whether the object is an element of an array; elements of an array inside it are then
    ///   ignored.
    package static func value(_ object: AnyObject, isSecret: Bool, isElement: Bool = false) -> QueryValue {
        switch object {
        case let text as NSString: return .text(text as String)
        case let number as NSNumber: return value(of: number)
        case let data as NSData:
            let bytes = UnsafeRawBufferPointer(start: data.bytes, count: data.length)
            return withExtendedLifetime(data) {
                isSecret ? .secret(SecretBytes(copying: bytes)) : .data([UInt8](bytes))
            }
        case let date as NSDate: return .date(date.timeIntervalSinceReferenceDate)
        case is NSNull: return .null
        case let control as SecAccessControl: return .accessControl(control.control)
        case let item as SecKeychainItem: return item.queryValue
        case let key as SecKey: return .key(key)
        case let certificate as SecCertificate: return certificate.queryValue
        case let identity as SecIdentity: return identity.queryValue
        case let keychain as SecKeychain: return .keychain(keychain.path.text)
        case let access as SecAccess: return .access(access.object)
        case let policy as SecPolicy: return .policy(policy.policy)
        case let application as SecTrustedApplication: return .trustedApplication(application.application)
        case let context as any AuthenticatingContext: return .context(CallContext(context.contextSettings))
        case let uuid as NSUUID:
            return .uuid(withUnsafeBytes(of: (uuid as UUID).uuid) { [UInt8]($0) })
        case let dictionary as NSDictionary where !isElement:
            return (try? pairs(of: dictionary, isElement: true)).map { .pairs($0) } ?? .other
        case let array as NSArray: return .array(isElement ? [] : elements(of: array))
        default: return swiftValue(object)
        }
    }

    /// Reads at most one element more than a query may list, so that the parser can tell that there are too many.
    private static func elements(of array: NSArray) -> [QueryValue] {
        (0..<min(array.count, Limits.listedItems + 1)).map { index in
            value(array.storedObject(at: index), isSecret: false, isElement: true)
        }
    }

    private static func value(of number: NSNumber) -> QueryValue {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"):
            Int64(exactly: number.doubleValue).map { .number($0) } ?? .real(number.doubleValue)
        case UInt8(ascii: "Q"):
            Int64(exactly: number.uint64Value).map { .number($0) } ?? .real(number.doubleValue)
        default: .number(number.int64Value)
        }
    }

    /// Reads a Swift value that Foundation left in a box of its own instead of bridging it.
    private static func swiftValue(_ object: AnyObject) -> QueryValue {
        switch object {
        case let text as String: .text(text)
        case let data as Data: .data([UInt8](data))
        case let flag as Bool: .number(flag ? 1 : 0)
        case let number as any BinaryInteger: Int64(exactly: number).map { .number($0) } ?? .other
        case let number as Double: Int64(exactly: number).map { .number($0) } ?? .real(number)
        case let date as Date: .date(date.timeIntervalSinceReferenceDate)
        default: .other
        }
    }
}
