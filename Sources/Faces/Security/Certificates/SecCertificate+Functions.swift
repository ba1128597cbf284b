import ChatelaineIPC
import ChatelaineModel
import Foundation

/// Makes a certificate of its DER.
///
/// - Parameter allocator: not used.
/// - Returns: nil for what is no certificate.
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
    do throws(KeychainError) {
        return try CertificateCalls.make(QueryDictionary.value(data, isSecret: false))
    } catch {
        FailureReport.write("SecCertificateCreateWithData", error)
        return nil
    }
}

/// The DER of a certificate.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData {
    Data(certificate.der) as NSData
}
