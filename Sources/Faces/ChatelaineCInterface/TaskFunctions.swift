import CChatelaineFoundation
import ChatelaineIPC
import ChatelaineModel
import Security

/// `SecTaskGetTypeID` of `Security/SecTask.h`.
@_cdecl("SecTaskGetTypeID")
public func taskGetTypeID() -> UInt { BoxType.task.identifier }

/// `SecTaskCreateFromSelf` of `Security/SecTask.h`.
@_cdecl("SecTaskCreateFromSelf")
public func taskCreateFromSelf(_ allocator: UnsafeRawPointer?) -> UnsafeRawPointer? { BoxType.task.make(SecTask()) }

/// `SecTaskCopyValueForEntitlement` of `Security/SecTask.h`.
@_cdecl("SecTaskCopyValueForEntitlement")
public func taskCopyValueForEntitlement(
    _ task: UnsafeRawPointer?, _ entitlement: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    answer("SecTaskCopyValueForEntitlement", of: task, error) { () throws(KeychainError) in
        try EntitlementCall.value(ForeignValue.meaning(of: entitlement))
    }
}

/// `SecTaskCopyValuesForEntitlements` of `Security/SecTask.h`.
@_cdecl("SecTaskCopyValuesForEntitlements")
public func taskCopyValuesForEntitlements(
    _ task: UnsafeRawPointer?, _ entitlements: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    answer("SecTaskCopyValuesForEntitlements", of: task, error) { () throws(KeychainError) in
        try EntitlementCall.values(ForeignValue.meaning(of: entitlements))
    }
}

/// `SecTaskCopySigningIdentifier` of `Security/SecTask.h`.
@_cdecl("SecTaskCopySigningIdentifier")
public func taskCopySigningIdentifier(
    _ task: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    answer("SecTaskCopySigningIdentifier", of: task, error) { () throws(KeychainError) in
        try EntitlementCall.signingIdentifier()
    }
}

private func answer(
    _ name: StaticString, of task: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?,
    _ call: () throws(KeychainError) -> ResultTree?
) -> UnsafeRawPointer? {
    do throws(KeychainError) {
        let _: SecTask = try ForeignObject.content(task, .task)
        guard let tree = try call() else { return nil }
        return try ForeignResult.make(tree)
    } catch let failure {
        FailureReport.write(name, failure)
        error?.pointee = ForeignResult.error(failure)
        return nil
    }
}
