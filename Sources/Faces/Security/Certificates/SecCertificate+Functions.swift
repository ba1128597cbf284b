import ChatelaineIPC
import ChatelaineModel
import Foundation

/// Makes a certificate from its DER.
///
/// - Parameter allocator: not used.
/// - Returns: nil for data that is no certificate, and where securityd does not run.
@discardableResult
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
    CertificateResult.of("SecCertificateCreateWithData") { () throws(KeychainError) in
        try CertificateCalls.make(QueryDictionary.value(data, isSecret: false))
    }
}

/// Stores a certificate in a file keychain.
///
/// - Parameter keychain: nil for the default keychain.
/// - Returns: `errSecDuplicateItem` where the keychain already holds the certificate.
@discardableResult
public func SecCertificateAddToKeychain(_ certificate: SecCertificate, _ keychain: SecKeychain?) -> OSStatus {
    CallStatus.of("SecCertificateAddToKeychain") { () throws(KeychainError) in
        try CertificateCalls.add(certificate, to: keychain)
    }
}

/// Returns the DER of a certificate.
@discardableResult
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { Data(certificate.der) as NSData }

/// Returns one line about the subject: the common name, or else the unit, organization, address or another name.
@discardableResult
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
    CertificateResult.object("SecCertificateCopySubjectSummary") { () throws(KeychainError) in
        try CertificateCalls.summary(of: certificate)
    } as? NSString
}

/// Copies the common name of the subject, the last one where it has several.
///
/// - Returns: `errSecNoSuchAttr` for a subject without a common name.
@discardableResult
public func SecCertificateCopyCommonName(
    _ certificate: SecCertificate, _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
    CallStatus.of("SecCertificateCopyCommonName") { () throws(KeychainError) in
        commonName.pointee = ResultObject.make(try CertificateCalls.commonName(of: certificate)) as? NSString
    }
}

/// Copies all e-mail addresses of the subject, each once; an empty array where it has none.
@discardableResult
public func SecCertificateCopyEmailAddresses(
    _ certificate: SecCertificate, _ emailAddresses: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    CallStatus.of("SecCertificateCopyEmailAddresses") { () throws(KeychainError) in
        emailAddresses.pointee = ResultObject.make(try CertificateCalls.emailAddresses(of: certificate)) as? NSArray
    }
}

/// Returns the public key.
///
/// - Returns: nil for a key of another kind than RSA, P-256, P-384, P-521, Ed25519 and X25519, and for a damaged key.
@discardableResult
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
    CertificateResult.of("SecCertificateCopyKey") { () throws(KeychainError) in
        try CertificateCalls.key(of: certificate)
    }
}

/// Copies the public key.
///
/// - Returns: `errSecUnimplemented` or `errSecParam` where ``SecCertificateCopyKey(_:)`` returns nil.
@discardableResult
public func SecCertificateCopyPublicKey(_ certificate: SecCertificate, _ key: UnsafeMutablePointer<SecKey?>) -> OSStatus
{
    CallStatus.of("SecCertificateCopyPublicKey") { () throws(KeychainError) in
        key.pointee = try CertificateCalls.key(of: certificate)
    }
}

/// Returns the bytes of the serial number, including the sign.
///
/// - Parameter error: receives a retained error in the domain `kCFErrorDomainOSStatus` on failure; may be nil, here
///   and below.
@discardableResult
public func SecCertificateCopySerialNumberData(
    _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    CertificateResult.object("SecCertificateCopySerialNumberData", error) { () throws(KeychainError) in
        try CertificateCalls.serialNumber(of: certificate)
    } as? NSData
}

/// The older name of ``SecCertificateCopySerialNumberData(_:_:)``.
@discardableResult
public func SecCertificateCopySerialNumber(
    _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { SecCertificateCopySerialNumberData(certificate, error) }

/// Returns the normalised name of the issuer, the form for comparisons, as a sequence.
@discardableResult
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? {
    CertificateResult.object("SecCertificateCopyNormalizedIssuerSequence") { () throws(KeychainError) in
        try CertificateCalls.name(.issuer, of: certificate, isSequence: true)
    } as? NSData
}

/// Returns the normalised name of the subject, the form for comparisons, as a sequence.
@discardableResult
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? {
    CertificateResult.object("SecCertificateCopyNormalizedSubjectSequence") { () throws(KeychainError) in
        try CertificateCalls.name(.subject, of: certificate, isSequence: true)
    } as? NSData
}

/// Returns the content of the issuer's normalised sequence, which `kSecAttrIssuer` holds.
@discardableResult
public func SecCertificateCopyNormalizedIssuerContent(
    _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    CertificateResult.object("SecCertificateCopyNormalizedIssuerContent", error) { () throws(KeychainError) in
        try CertificateCalls.name(.issuer, of: certificate, isSequence: false)
    } as? NSData
}

/// Returns the content of the subject's normalised sequence, which `kSecAttrSubject` holds.
@discardableResult
public func SecCertificateCopyNormalizedSubjectContent(
    _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    CertificateResult.object("SecCertificateCopyNormalizedSubjectContent", error) { () throws(KeychainError) in
        try CertificateCalls.name(.subject, of: certificate, isSequence: false)
    } as? NSData
}

/// Returns the date from which the certificate is valid.
@discardableResult
public func SecCertificateCopyNotValidBeforeDate(_ certificate: SecCertificate) -> CFDate? {
    CertificateResult.object("SecCertificateCopyNotValidBeforeDate") { () throws(KeychainError) in
        try CertificateCalls.notBefore(of: certificate)
    } as? NSDate
}

/// Returns the date until which the certificate is valid.
@discardableResult
public func SecCertificateCopyNotValidAfterDate(_ certificate: SecCertificate) -> CFDate? {
    CertificateResult.object("SecCertificateCopyNotValidAfterDate") { () throws(KeychainError) in
        try CertificateCalls.notAfter(of: certificate)
    } as? NSDate
}

/// Returns fields and extensions of a certificate by their object identifiers, as dictionaries with the keys
/// `kSecPropertyKey…`.
///
/// - Parameter keys: object identifiers, nil for all; those that the certificate does not have are ignored.
@discardableResult
public func SecCertificateCopyValues(
    _ certificate: SecCertificate, _ keys: CFArray?, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFDictionary? {
    CertificateResult.object("SecCertificateCopyValues", error) { () throws(KeychainError) in
        try CertificateCalls.values(of: certificate, keys.map { QueryDictionary.value($0, isSecret: false) })
    } as? NSDictionary
}

/// Returns subject, issuer and serial number on one line, for people.
@discardableResult
public func SecCertificateCopyLongDescription(
    _ alloc: CFAllocator?, _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFString? {
    CertificateResult.object("SecCertificateCopyLongDescription", error) { () throws(KeychainError) in
        try CertificateCalls.longDescription(of: certificate)
    } as? NSString
}

/// Returns the summary of the subject, or else the whole subject, for people.
@discardableResult
public func SecCertificateCopyShortDescription(
    _ alloc: CFAllocator?, _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFString? {
    CertificateResult.object("SecCertificateCopyShortDescription", error) { () throws(KeychainError) in
        try CertificateCalls.shortDescription(of: certificate)
    } as? NSString
}

/// Runs a call that returns nil on failure, and its error through a pointer argument if it has one.
private enum CertificateResult {
    static func of<Answer>(
        _ name: StaticString, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>? = nil,
        _ body: () throws(KeychainError) -> Answer
    ) -> Answer? {
        do throws(KeychainError) { return try body() } catch let failure {
            FailureReport.write(name, failure)
            error?.pointee = Unmanaged.passRetained(ResultObject.error(failure))
            return nil
        }
    }

    static func object(
        _ name: StaticString, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>? = nil,
        _ body: () throws(KeychainError) -> ResultTree?
    ) -> AnyObject? { of(name, error) { () throws(KeychainError) in try body().map { ResultObject.make($0) } } ?? nil }
}
