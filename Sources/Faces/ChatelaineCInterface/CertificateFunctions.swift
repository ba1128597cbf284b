import ChatelaineIPC
import ChatelaineModel
import Security

/// `SecCertificateCreateWithData` of `Security/SecCertificate.h`.
@_cdecl("SecCertificateCreateWithData")
public func certificateCreateWithData(
    _ allocator: UnsafeRawPointer?, _ data: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    ForeignCertificate.answer("SecCertificateCreateWithData", nil) { () throws(KeychainError) in
        try ForeignObject.make(try CertificateCalls.make(ForeignValue.meaning(of: data)), .certificate)
    }
}

/// `SecCertificateAddToKeychain` of `Security/SecCertificate.h`.
@_cdecl("SecCertificateAddToKeychain")
public func certificateAddToKeychain(_ certificate: UnsafeRawPointer?, _ keychain: UnsafeRawPointer?) -> OSStatus {
    CallStatus.of("SecCertificateAddToKeychain") { () throws(KeychainError) in
        try CertificateCalls.add(
            try ForeignCertificate.content(certificate), to: try KeychainObjects.content(keychain))
    }
}

/// `SecCertificateCopyData` of `Security/SecCertificate.h`; NULL for an object that is no certificate, here and
/// below.
@_cdecl("SecCertificateCopyData")
public func certificateCopyData(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    ForeignCertificate.copy("SecCertificateCopyData", certificate) { CertificateCalls.data(of: $0) }
}

/// `SecCertificateCopySubjectSummary` of `Security/SecCertificate.h`.
@_cdecl("SecCertificateCopySubjectSummary")
public func certificateCopySubjectSummary(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    ForeignCertificate.copy("SecCertificateCopySubjectSummary", certificate) { (certificate) throws(KeychainError) in
        try CertificateCalls.summary(of: certificate)
    }
}

/// `SecCertificateCopyCommonName` of `Security/SecCertificate.h`.
@_cdecl("SecCertificateCopyCommonName")
public func certificateCopyCommonName(
    _ certificate: UnsafeRawPointer?, _ commonName: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecCertificateCopyCommonName") { () throws(KeychainError) in
        let place = try ForeignObject.required(commonName)
        place.pointee = try ForeignResult.make(
            try CertificateCalls.commonName(of: try ForeignCertificate.content(certificate)))
    }
}

/// `SecCertificateCopyEmailAddresses` of `Security/SecCertificate.h`.
@_cdecl("SecCertificateCopyEmailAddresses")
public func certificateCopyEmailAddresses(
    _ certificate: UnsafeRawPointer?, _ emailAddresses: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecCertificateCopyEmailAddresses") { () throws(KeychainError) in
        let place = try ForeignObject.required(emailAddresses)
        place.pointee = try ForeignResult.make(
            try CertificateCalls.emailAddresses(of: try ForeignCertificate.content(certificate)))
    }
}

/// `SecCertificateCopyKey` of `Security/SecCertificate.h`.
@_cdecl("SecCertificateCopyKey")
public func certificateCopyKey(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    ForeignCertificate.answer("SecCertificateCopyKey", nil) { () throws(KeychainError) in
        try ForeignObject.make(try CertificateCalls.key(of: try ForeignCertificate.content(certificate)), .key)
    }
}

/// `SecCertificateCopyPublicKey` of `Security/SecCertificate.h`.
@_cdecl("SecCertificateCopyPublicKey")
public func certificateCopyPublicKey(
    _ certificate: UnsafeRawPointer?, _ key: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    CallStatus.of("SecCertificateCopyPublicKey") { () throws(KeychainError) in
        let place = try ForeignObject.required(key)
        place.pointee = try ForeignObject.make(
            try CertificateCalls.key(of: try ForeignCertificate.content(certificate)), .key)
    }
}

/// `SecCertificateCopySerialNumberData` of `Security/SecCertificate.h`.
@_cdecl("SecCertificateCopySerialNumberData")
public func certificateCopySerialNumberData(
    _ certificate: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    ForeignCertificate.copy("SecCertificateCopySerialNumberData", certificate, error) {
        (certificate) throws(KeychainError) in try CertificateCalls.serialNumber(of: certificate)
    }
}

/// `SecCertificateCopySerialNumber` of `Security/SecCertificate.h`.
@_cdecl("SecCertificateCopySerialNumber")
public func certificateCopySerialNumber(
    _ certificate: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? { certificateCopySerialNumberData(certificate, error) }

/// `SecCertificateCopyNotValidBeforeDate` of `Security/SecCertificate.h`.
@_cdecl("SecCertificateCopyNotValidBeforeDate")
public func certificateCopyNotValidBeforeDate(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    ForeignCertificate.copy("SecCertificateCopyNotValidBeforeDate", certificate) {
        (certificate) throws(KeychainError) in try CertificateCalls.notBefore(of: certificate)
    }
}

/// `SecCertificateCopyNotValidAfterDate` of `Security/SecCertificate.h`.
@_cdecl("SecCertificateCopyNotValidAfterDate")
public func certificateCopyNotValidAfterDate(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    ForeignCertificate.copy("SecCertificateCopyNotValidAfterDate", certificate) {
        (certificate) throws(KeychainError) in try CertificateCalls.notAfter(of: certificate)
    }
}

/// `SecCertificateCopyValues` of `Security/SecCertificate.h`.
@_cdecl("SecCertificateCopyValues")
public func certificateCopyValues(
    _ certificate: UnsafeRawPointer?, _ keys: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    ForeignCertificate.copy("SecCertificateCopyValues", certificate, error) { (certificate) throws(KeychainError) in
        try CertificateCalls.values(of: certificate, keys.map { ForeignValue.meaning(of: $0) })
    }
}

/// `SecCertificateCopyLongDescription` of `Security/SecCertificate.h`.
@_cdecl("SecCertificateCopyLongDescription")
public func certificateCopyLongDescription(
    _ alloc: UnsafeRawPointer?, _ certificate: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    ForeignCertificate.copy("SecCertificateCopyLongDescription", certificate, error) {
        (certificate) throws(KeychainError) in try CertificateCalls.longDescription(of: certificate)
    }
}

/// `SecCertificateCopyShortDescription` of `Security/SecCertificate.h`.
@_cdecl("SecCertificateCopyShortDescription")
public func certificateCopyShortDescription(
    _ alloc: UnsafeRawPointer?, _ certificate: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    ForeignCertificate.copy("SecCertificateCopyShortDescription", certificate, error) {
        (certificate) throws(KeychainError) in try CertificateCalls.shortDescription(of: certificate)
    }
}
