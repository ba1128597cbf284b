import ChatelaineIPC
import ChatelaineModel
import Foundation

/// Makes a certificate of its DER.
///
/// - Parameter allocator: not used.
/// - Returns: nil for what is no certificate, and where nobody can look.
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
    CertificateResult.of("SecCertificateCreateWithData") { () throws(KeychainError) in
        try CertificateCalls.make(QueryDictionary.value(data, isSecret: false))
    }
}

/// Stores a certificate in a file keychain.
///
/// - Parameter keychain: nil for the default one.
/// - Returns: `errSecDuplicateItem` where it is there already.
@discardableResult
public func SecCertificateAddToKeychain(_ certificate: SecCertificate, _ keychain: SecKeychain?) -> OSStatus {
    CallStatus.of("SecCertificateAddToKeychain") { () throws(KeychainError) in
        try CertificateCalls.add(certificate, to: keychain)
    }
}

/// The DER of a certificate.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { Data(certificate.der) as NSData }

/// One line that says whom a certificate is for: the common name, or else unit, organization, address, another name.
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
    CertificateResult.object("SecCertificateCopySubjectSummary") { () throws(KeychainError) in
        try CertificateCalls.summary(of: certificate)
    } as? NSString
}

/// The common name of the subject, the last one where it has several.
///
/// - Returns: `errSecNoSuchAttr` without one.
@discardableResult
public func SecCertificateCopyCommonName(
    _ certificate: SecCertificate, _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
    CallStatus.of("SecCertificateCopyCommonName") { () throws(KeychainError) in
        commonName.pointee = ResultObject.make(try CertificateCalls.commonName(of: certificate)) as? NSString
    }
}

/// All addresses of the subject, each once; an empty array where it has none.
@discardableResult
public func SecCertificateCopyEmailAddresses(
    _ certificate: SecCertificate, _ emailAddresses: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    CallStatus.of("SecCertificateCopyEmailAddresses") { () throws(KeychainError) in
        emailAddresses.pointee = ResultObject.make(try CertificateCalls.emailAddresses(of: certificate)) as? NSArray
    }
}

/// The public key.
///
/// - Returns: nil for one of another kind than RSA, P-256, P-384, P-521, Ed25519 and X25519, and for one that is damaged.
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
    CertificateResult.of("SecCertificateCopyKey") { () throws(KeychainError) in
        try CertificateCalls.key(of: certificate)
    }
}

/// The public key.
///
/// - Returns: `errSecUnimplemented` and `errSecParam` where ``SecCertificateCopyKey(_:)`` gives nil.
@discardableResult
public func SecCertificateCopyPublicKey(_ certificate: SecCertificate, _ key: UnsafeMutablePointer<SecKey?>) -> OSStatus
{
    CallStatus.of("SecCertificateCopyPublicKey") { () throws(KeychainError) in
        key.pointee = try CertificateCalls.key(of: certificate)
    }
}

/// The bytes of the serial number, a sign included.
///
/// - Parameter error: where an error in the domain `kCFErrorDomainOSStatus` goes, retained, when there is one; may be nil, here and below.
public func SecCertificateCopySerialNumberData(
    _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    CertificateResult.object("SecCertificateCopySerialNumberData", error) { () throws(KeychainError) in
        try CertificateCalls.serialNumber(of: certificate)
    } as? NSData
}

/// The older name of ``SecCertificateCopySerialNumberData(_:_:)``.
public func SecCertificateCopySerialNumber(
    _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { SecCertificateCopySerialNumberData(certificate, error) }

/// The issuer in the form in which names are compared, as a sequence.
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? {
    CertificateResult.object("SecCertificateCopyNormalizedIssuerSequence") { () throws(KeychainError) in
        try CertificateCalls.name(.issuer, of: certificate, isSequence: true)
    } as? NSData
}

/// The subject in the form in which names are compared, as a sequence.
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? {
    CertificateResult.object("SecCertificateCopyNormalizedSubjectSequence") { () throws(KeychainError) in
        try CertificateCalls.name(.subject, of: certificate, isSequence: true)
    } as? NSData
}

/// What is in the sequence of the issuer: what `kSecAttrIssuer` holds.
public func SecCertificateCopyNormalizedIssuerContent(
    _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    CertificateResult.object("SecCertificateCopyNormalizedIssuerContent", error) { () throws(KeychainError) in
        try CertificateCalls.name(.issuer, of: certificate, isSequence: false)
    } as? NSData
}

/// What is in the sequence of the subject: what `kSecAttrSubject` holds.
public func SecCertificateCopyNormalizedSubjectContent(
    _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    CertificateResult.object("SecCertificateCopyNormalizedSubjectContent", error) { () throws(KeychainError) in
        try CertificateCalls.name(.subject, of: certificate, isSequence: false)
    } as? NSData
}

/// From when on it is valid.
public func SecCertificateCopyNotValidBeforeDate(_ certificate: SecCertificate) -> CFDate? {
    CertificateResult.object("SecCertificateCopyNotValidBeforeDate") { () throws(KeychainError) in
        try CertificateCalls.notBefore(of: certificate)
    } as? NSDate
}

/// Until when it is valid.
public func SecCertificateCopyNotValidAfterDate(_ certificate: SecCertificate) -> CFDate? {
    CertificateResult.object("SecCertificateCopyNotValidAfterDate") { () throws(KeychainError) in
        try CertificateCalls.notAfter(of: certificate)
    } as? NSDate
}

/// Fields and extensions of a certificate, by their object identifiers: dictionaries with the keys `kSecPropertyKey…`.
///
/// - Parameter keys: object identifiers, of which those are passed over that the certificate does not have; nil for all.
public func SecCertificateCopyValues(
    _ certificate: SecCertificate, _ keys: CFArray?, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFDictionary? {
    CertificateResult.object("SecCertificateCopyValues", error) { () throws(KeychainError) in
        try CertificateCalls.values(of: certificate, keys.map { QueryDictionary.value($0, isSecret: false) })
    } as? NSDictionary
}

/// Subject, issuer and serial number on one line, for people.
public func SecCertificateCopyLongDescription(
    _ alloc: CFAllocator?, _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFString? {
    CertificateResult.object("SecCertificateCopyLongDescription", error) { () throws(KeychainError) in
        try CertificateCalls.longDescription(of: certificate)
    } as? NSString
}

/// The summary of the subject, or else all of it, for people.
public func SecCertificateCopyShortDescription(
    _ alloc: CFAllocator?, _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFString? {
    CertificateResult.object("SecCertificateCopyShortDescription", error) { () throws(KeychainError) in
        try CertificateCalls.shortDescription(of: certificate)
    } as? NSString
}

/// What calls answer that give an error apart, or none.
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
