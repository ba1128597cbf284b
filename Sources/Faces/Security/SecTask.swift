import ChatelaineIPC
import ChatelaineModel
import CoreFoundation
import Foundation

/// The calling process, whose entitlements can be read.
///
/// Entitlements are those of the program's signature (`security app sign`). Each call asks securityd for them.
public final class SecTask: NSObject, CFTypeIdentified, Sendable {
    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 261

    package override init() {}

    public override var description: String { "<SecTask: \(ProcessInfo.processInfo.processIdentifier)>" }
}

/// The type identifier of ``SecTask`` objects.
public func SecTaskGetTypeID() -> CFTypeID { SecTask.cfTypeID }

/// Makes a task for the calling process.
///
/// - Parameter allocator: not used; pass nil.
@discardableResult
public func SecTaskCreateFromSelf(_ allocator: CFAllocator?) -> SecTask? { SecTask() }

/// Copies the value of one entitlement of a task's program, such as `keychain-access-groups`.
///
/// - Parameter error: receives a retained error in the domain `kCFErrorDomainOSStatus` on failure; may be nil.
/// - Returns: nil without an error where the program has no signature, or its signature does not have the
///   entitlement. Nil with ``errSecMissingEntitlement`` for an invalid signature, and with ``errSecNotAvailable``
///   where securityd does not run.
@discardableResult
public func SecTaskCopyValueForEntitlement(
    _ task: SecTask, _ entitlement: CFString, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFTypeRef? {
    answer("SecTaskCopyValueForEntitlement", error) { () throws(KeychainError) in
        try EntitlementCall.value(.text(entitlement as String))
    }
}

/// Copies the values of several entitlements of a task's program, by name; missing entitlements are left out.
///
/// - Returns: nil with ``errSecParam`` where a name is not a string, otherwise as
///   ``SecTaskCopyValueForEntitlement(_:_:_:)``.
@discardableResult
public func SecTaskCopyValuesForEntitlements(
    _ task: SecTask, _ entitlements: CFArray, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFDictionary? {
    answer("SecTaskCopyValuesForEntitlements", error) { () throws(KeychainError) in
        try EntitlementCall.values(QueryDictionary.value(entitlements, isSecret: false))
    } as? CFDictionary
}

/// Copies the identifier in the signature of a task's program, without the team.
///
/// The result is nil in the same cases as for ``SecTaskCopyValueForEntitlement(_:_:_:)``.
@discardableResult
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
