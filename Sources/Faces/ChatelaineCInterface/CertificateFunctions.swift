import ChatelaineIPC
import ChatelaineModel
import Security

/// `SecCertificateCreateWithData` of `Security/SecCertificate.h`.
@_cdecl("SecCertificateCreateWithData")
public func certificateCreateWithData(
    _ allocator: UnsafeRawPointer?, _ data: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    ForeignCertificate.answer("SecCertificateCreateWithData") { () throws(KeychainError) in
        try ForeignObject.make(try CertificateCalls.make(ForeignValue.meaning(of: data)), .certificate)
    }
}

/// `SecCertificateCopyData` of `Security/SecCertificate.h`; NULL for what is no certificate.
@_cdecl("SecCertificateCopyData")
public func certificateCopyData(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    ForeignCertificate.answer("SecCertificateCopyData") { () throws(KeychainError) in
        try ForeignResult.make(CertificateCalls.data(of: try ForeignCertificate.content(certificate)))
    }
}

/// Certificates that a C program gives, and calls that answer nothing where they fail.
enum ForeignCertificate {
    static func content(_ certificate: UnsafeRawPointer?) throws(KeychainError) -> SecCertificate {
        try ForeignObject.content(certificate, .certificate)
    }

    static func answer<Answer>(_ name: StaticString, _ body: () throws(KeychainError) -> Answer) -> Answer? {
        do throws(KeychainError) { return try body() } catch {
            FailureReport.write(name, error)
            return nil
        }
    }
}
