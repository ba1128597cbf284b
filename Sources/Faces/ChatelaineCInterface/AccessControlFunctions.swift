import CChatelaineFoundation
import ChatelaineIPC
import ChatelaineModel
import Security

/// `SecAccessControlCreateWithFlags` of `Security/SecAccessControl.h`.
@_cdecl("SecAccessControlCreateWithFlags")
public func accessControlCreateWithFlags(
    _ allocator: UnsafeRawPointer?, _ protection: UnsafeRawPointer?, _ flags: UInt,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    do throws(KeychainError) {
        let control = try AccessControlCall.make(ForeignValue.meaning(of: protection), flags)
        guard let object = BoxType.accessControl.make(control) else {
            throw KeychainError(.allocate, "there is no memory for the access control")
        }
        return object
    } catch let failure {
        FailureReport.write("SecAccessControlCreateWithFlags", failure)
        error?.pointee = ForeignResult.error(failure)
        return nil
    }
}

/// `SecAccessControlGetTypeID` of `Security/SecAccessControl.h`.
@_cdecl("SecAccessControlGetTypeID")
public func accessControlGetTypeID() -> UInt { BoxType.accessControl.identifier }
