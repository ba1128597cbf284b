import ChatelaineModel
import Security

/// `SecTrustedApplicationGetTypeID` of `Security/SecTrustedApplication.h`.
@_cdecl("SecTrustedApplicationGetTypeID")
public func trustedApplicationGetTypeID() -> UInt { BoxType.trustedApplication.identifier }

/// `SecTrustedApplicationCreateFromPath` of `Security/SecTrustedApplication.h`.
@_cdecl("SecTrustedApplicationCreateFromPath")
public func trustedApplicationCreateFromPath(
    _ path: UnsafePointer<CChar>?, _ application: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecTrustedApplicationCreateFromPath") { () throws(KeychainError) in
        let place = try ForeignObject.required(application)
        place.pointee = try ForeignObject.make(try TrustedApplicationCalls.make(path), .trustedApplication)
    }
}

/// `SecTrustedApplicationCopyData` of `Security/SecTrustedApplication.h`.
@_cdecl("SecTrustedApplicationCopyData")
public func trustedApplicationCopyData(
    _ object: UnsafeRawPointer?, _ data: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecTrustedApplicationCopyData") { () throws(KeychainError) in
        let application: SecTrustedApplication = try ForeignObject.content(object, .trustedApplication)
        try ForeignResult.put(.data(application.application.external), at: try ForeignObject.required(data))
    }
}

/// `SecTrustedApplicationSetData` of `Security/SecTrustedApplication.h`.
@_cdecl("SecTrustedApplicationSetData")
public func trustedApplicationSetData(_ object: UnsafeRawPointer?, _ data: UnsafeRawPointer?) -> OSStatus {
    CallStatus.of("SecTrustedApplicationSetData") { () throws(KeychainError) in
        let application: SecTrustedApplication = try ForeignObject.content(object, .trustedApplication)
        try TrustedApplicationCalls.set(application, ForeignValue.meaning(of: data))
    }
}
