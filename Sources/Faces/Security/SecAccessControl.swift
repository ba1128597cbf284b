import ChatelaineIPC
import ChatelaineModel
import CoreFoundation
import Foundation

/// The protection of an item: its protection class and, with flags, what a use of the item requires.
///
/// Two access controls are equal when they describe the same protection. A query can use the object of a result
/// again, also beside the `kSecAttrAccessible` of that result.
public final class SecAccessControl: NSObject, CFTypeIdentified, Sendable {
    package let control: AccessControl

    package init(_ control: AccessControl) { self.control = control }

    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 256

    public override var hash: Int { control.hashValue }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SecAccessControl).map { $0.control == control } ?? false
    }

    public override var description: String {
        guard let constraints = control.constraints else { return "<SecAccessControl: \(control.protection.name)>" }
        let words = AccessControlFlags(of: constraints)?.words ?? ["other constraints"]
        return
            "<SecAccessControl: \(control.protection.name); \(words.isEmpty ? "no flags" : words.joined(separator: ", "))>"
    }
}

/// The type identifier of ``SecAccessControl`` objects.
public func SecAccessControlGetTypeID() -> CFTypeID { SecAccessControl.cfTypeID }

/// Makes an access control from a protection class and flags that say what using the item needs.
///
/// An object without flags requires nothing, but it is not the same as its protection class alone. A call with both
/// this object and `kSecAttrAccessible` returns ``errSecParam``.
///
/// - Parameters:
///   - allocator: not used; pass nil.
///   - protection: one of the `kSecAttrAccessible` constants.
///   - flags: the constraints, and how several of them combine. All must be satisfied where neither
///     ``SecAccessControlCreateFlags/or`` nor ``SecAccessControlCreateFlags/and`` is set.
///   - error: receives a retained error in the domain `kCFErrorDomainOSStatus` on failure; may be nil.
/// - Returns: nil with ``errSecParam`` for an unknown protection, an unknown flag, or flags that exclude each other.
@discardableResult
public func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?, _ protection: CFTypeRef, _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
    do throws(KeychainError) {
        return try AccessControlCall.make(QueryDictionary.value(protection, isSecret: false), flags.rawValue)
    } catch let failure {
        FailureReport.write("SecAccessControlCreateWithFlags", failure)
        error?.pointee = Unmanaged.passRetained(ResultObject.error(failure))
        return nil
    }
}

/// `SecAccessControlCreateWithFlags`, for Swift and for C alike.
package enum AccessControlCall {
    package static func make(_ protection: QueryValue, _ flags: UInt) throws(KeychainError) -> SecAccessControl {
        guard case .text(let name) = protection, let accessibility = Accessibility(name: name) else {
            throw KeychainError(
                .param, "the protection of an access control must be one of the kSecAttrAccessible constants")
        }
        let constraints = try AccessConstraints(AccessControlFlags(rawValue: flags))
        return SecAccessControl(AccessControl(protection: accessibility, constraints: constraints))
    }
}
