import ChatelaineIPC
import ChatelaineModel
import Security

/// `SecCertificateCopyNormalizedIssuerSequence` of `Security/SecCertificate.h`.
@_cdecl("SecCertificateCopyNormalizedIssuerSequence")
public func certificateCopyNormalizedIssuerSequence(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    ForeignCertificate.copy("SecCertificateCopyNormalizedIssuerSequence", certificate) {
        (certificate) throws(KeychainError) in
        try CertificateCalls.name(.issuer, of: certificate, isSequence: true)
    }
}

/// `SecCertificateCopyNormalizedSubjectSequence` of `Security/SecCertificate.h`.
@_cdecl("SecCertificateCopyNormalizedSubjectSequence")
public func certificateCopyNormalizedSubjectSequence(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    ForeignCertificate.copy("SecCertificateCopyNormalizedSubjectSequence", certificate) {
        (certificate) throws(KeychainError) in
        try CertificateCalls.name(.subject, of: certificate, isSequence: true)
    }
}

/// `SecCertificateCopyNormalizedIssuerContent` of `Security/SecCertificate.h`.
@_cdecl("SecCertificateCopyNormalizedIssuerContent")
public func certificateCopyNormalizedIssuerContent(
    _ certificate: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    ForeignCertificate.copy("SecCertificateCopyNormalizedIssuerContent", certificate, error) {
        (certificate) throws(KeychainError) in
        try CertificateCalls.name(.issuer, of: certificate, isSequence: false)
    }
}

/// `SecCertificateCopyNormalizedSubjectContent` of `Security/SecCertificate.h`.
@_cdecl("SecCertificateCopyNormalizedSubjectContent")
public func certificateCopyNormalizedSubjectContent(
    _ certificate: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    ForeignCertificate.copy("SecCertificateCopyNormalizedSubjectContent", certificate, error) {
        (certificate) throws(KeychainError) in
        try CertificateCalls.name(.subject, of: certificate, isSequence: false)
    }
}

/// Reads certificates of C programs, and runs calls that return their error through a pointer argument, if at all.
enum ForeignCertificate {
    static func content(_ certificate: UnsafeRawPointer?) throws(KeychainError) -> SecCertificate {
        try ForeignObject.content(certificate, .certificate)
    }

    /// Runs a call that copies a part of a certificate; NULL where the certificate does not have the part.
    static func copy(
        _ name: StaticString, _ certificate: UnsafeRawPointer?,
        _ error: UnsafeMutablePointer<UnsafeRawPointer?>? = nil,
        _ body: (SecCertificate) throws(KeychainError) -> ResultTree?
    ) -> UnsafeRawPointer? {
        answer(name, error) { () throws(KeychainError) -> UnsafeRawPointer? in
            guard let tree = try body(try content(certificate)) else { return nil }
            return try ForeignResult.make(tree)
        } ?? nil
    }

    static func answer<Answer>(
        _ name: StaticString, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?,
        _ body: () throws(KeychainError) -> Answer
    ) -> Answer? {
        do throws(KeychainError) { return try body() } catch let failure {
            FailureReport.write(name, failure)
            error?.pointee = ForeignResult.error(failure)
            return nil
        }
    }
}
