import ChatelaineIPC
import ChatelaineModel
import CoreFoundation
import Foundation

/// A process whose entitlements can be asked for: the calling one.
///
/// Entitlements are those of the program's signature (`security app sign`). securityd says them, each time that it is asked.
public final class SecTask: NSObject, CFTypeIdentified, Sendable {
    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 261

    package override init() {}

    public override var description: String { "<SecTask: \(ProcessInfo.processInfo.processIdentifier)>" }
}

/// The type identifier of ``SecTask`` objects.
public func SecTaskGetTypeID() -> CFTypeID { SecTask.cfTypeID }

/// Makes a task of the calling process.
///
/// - Parameter allocator: not used; pass nil.
public func SecTaskCreateFromSelf(_ allocator: CFAllocator?) -> SecTask? { SecTask() }

/// Copies what the signature of a task's program says under one name, such as `keychain-access-groups`.
///
/// - Parameter error: where an error in the domain `kCFErrorDomainOSStatus` goes, retained, when there is one; may be nil.
/// - Returns: nil without an error where the signature does not say it, and of a program without one. Nil with
///   ``errSecMissingEntitlement`` where the signature does not count, and with ``errSecNotAvailable`` where securityd is not there.
public func SecTaskCopyValueForEntitlement(
    _ task: SecTask, _ entitlement: CFString, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFTypeRef? {
    answer("SecTaskCopyValueForEntitlement", error) { () throws(KeychainError) in
        try EntitlementCall.value(.text(entitlement as String))
    }
}

/// Copies what the signature of a task's program says under some names, by name; what it does not say is left out.
///
/// - Returns: nil with ``errSecParam`` where a name is no string, otherwise as ``SecTaskCopyValueForEntitlement(_:_:_:)``.
public func SecTaskCopyValuesForEntitlements(
    _ task: SecTask, _ entitlements: CFArray, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFDictionary? {
    answer("SecTaskCopyValuesForEntitlements", error) { () throws(KeychainError) in
        try EntitlementCall.values(QueryDictionary.value(entitlements, isSecret: false))
    } as? CFDictionary
}

/// Copies the identifier of a task's program as its signature has it, without the team; nil as
/// ``SecTaskCopyValueForEntitlement(_:_:_:)``.
public func SecTaskCopySigningIdentifier(
    _ task: SecTask, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFString? {
    answer("SecTaskCopySigningIdentifier", error) { () throws(KeychainError) in
        try EntitlementCall.signingIdentifier()
    } as? CFString
}

private func answer(
    _ name: StaticString, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?,
    _ call: () throws(KeychainError) -> ResultTree?
) -> AnyObject? {
    do throws(KeychainError) { return try call().map(ResultObject.make) } catch let failure {
        FailureReport.write(name, failure)
        error?.pointee = Unmanaged.passRetained(ResultObject.error(failure))
        return nil
    }
}
