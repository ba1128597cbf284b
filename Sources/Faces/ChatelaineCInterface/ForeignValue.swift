import CChatelaineFoundation
import ChatelaineMemory
import ChatelaineModel
import Foundation
import Security

/// The copy of one object from a C program's dictionary, as it was when the dictionary was read.
struct ForeignValue {
    let value: chatelaine_value

    init(_ value: chatelaine_value) { self.value = value }

    /// The query value of a single object.
    ///
    /// - Parameter isSecret: whether data are secret.
    static func meaning(of object: UnsafeRawPointer?, isSecret: Bool = false) -> QueryValue {
        var value = chatelaine_value()
        guard chatelaine_object_take(object, &value) else { return .other }
        defer { chatelaine_object_free(&value) }
        return ForeignValue(value).meaning(isSecret: isSecret)
    }

    /// The text of a string; nil for every other object.
    var text: String? {
        switch Int(value.kind) {
        case CHATELAINE_VALUE_ASCII: String(decoding: bytes, as: UTF8.self)
        // A lone surrogate becomes a replacement character, as in a Swift caller's string.
        case CHATELAINE_VALUE_UTF16: String(decoding: bytes.assumingMemoryBound(to: UInt16.self), as: UTF16.self)
        case CHATELAINE_VALUE_NATIVE:
            if case .text(let text) = native(isSecret: false, isElement: false) { text } else { nil }
        default: nil
        }
    }

    /// The text of a copied string; nil where a Swift object would have to be asked.
    var copiedText: String? { Int(value.kind) == CHATELAINE_VALUE_NATIVE ? nil : text }

    /// The query value of the object under a key; some keys take numbers and no booleans.
    func meaning(for key: String, isElement: Bool) -> QueryValue {
        guard Int(value.kind) != CHATELAINE_VALUE_BOOLEAN || QueryValue.isBooleanTaken(by: key) else { return .other }
        return meaning(isSecret: key == "v_Data", isElement: isElement)
    }

    /// The query value of the object.
    func meaning(isSecret: Bool, isElement: Bool = false) -> QueryValue {
        switch Int(value.kind) {
        case CHATELAINE_VALUE_ASCII, CHATELAINE_VALUE_UTF16: text.map { .text($0) } ?? .other
        case CHATELAINE_VALUE_DATA: isSecret ? .secret(SecretBytes(copying: bytes)) : .data([UInt8](bytes))
        case CHATELAINE_VALUE_NUMBER, CHATELAINE_VALUE_BOOLEAN: .number(value.number)
        case CHATELAINE_VALUE_REAL: Int64(exactly: value.real).map { .number($0) } ?? .real(value.real)
        case CHATELAINE_VALUE_DATE: .date(value.real)
        case CHATELAINE_VALUE_UUID: .uuid(withUnsafeBytes(of: value.uuid) { [UInt8]($0) })
        case CHATELAINE_VALUE_NULL: .null
        case CHATELAINE_VALUE_ARRAY: .array(elements.map { $0.meaning(isSecret: false, isElement: true) })
        case CHATELAINE_VALUE_BOX: boxed
        case CHATELAINE_VALUE_NATIVE: native(isSecret: isSecret, isElement: isElement)
        default: .other
        }
    }

    // SAFETY: the copy has `count` bytes, is aligned for any type, and lives as long as the pairs, which outlive this
    // value.
    private var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: value.bytes, count: value.count) }

    /// The first objects of an array.
    private var elements: [ForeignValue] {
        guard let elements = value.elements else { return [] }
        // SAFETY: there are `count` of them, which live as long as the pairs.
        return (0..<value.count).map { ForeignValue(elements[$0]) }
    }

    /// The types whose objects are query values.
    private static let types: [BoxType] = [
        .accessControl, .keychainItem, .key, .certificate, .identity, .keychain, .access, .policy, .trustedApplication,
    ]

    private var boxed: QueryValue {
        guard let object = value.object else { return .other }
        for type in Self.types {
            switch type.content(of: object) {
            case let control as SecAccessControl: return .accessControl(control.control)
            case let item as SecKeychainItem: return item.queryValue
            case let key as SecKey: return .key(key)
            case let certificate as SecCertificate: return certificate.queryValue
            case let identity as SecIdentity: return identity.queryValue
            case let keychain as SecKeychain: return .keychain(keychain.path.text)
            case let access as SecAccess: return .access(access.object)
            case let policy as SecPolicy: return .policy(policy.policy)
            case let application as SecTrustedApplication: return .trustedApplication(application.application)
            default: continue
            }
        }
        return .other
    }

    private func native(isSecret: Bool, isElement: Bool) -> QueryValue {
        // SAFETY: an object of a class below NSObject, retained as long as the pairs.
        guard let object = value.object else { return .other }
        if !isElement {
            // A dictionary that C made is read like the outer one. One that cannot be read so is never enumerated.
            do throws(KeychainError) {
                if let pairs = try ForeignDictionary.nestedPairs(of: object) { return .pairs(pairs) }
            } catch { return .other }
        }
        return QueryDictionary.value(
            Unmanaged<AnyObject>.fromOpaque(object).takeUnretainedValue(), isSecret: isSecret, isElement: isElement)
    }
}
