import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Foundation

/// An X.509 certificate.
///
/// A certificate never changes, and any thread may use it. Two certificates are equal when their bytes are. A
/// sandboxed process of ours parses the bytes; this process has the bytes and that process's report.
public final class SecCertificate: NSObject, CFTypeIdentified, Sendable {
    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 258

    /// DER.
    package let der: [UInt8]
    /// The certificate's item, where a search found it in a file keychain.
    package let keychainItem: KeychainItemHandle?
    /// The report about the content; nil until it is first needed.
    private let known: AdaptiveMutex<CertificateReport?>

    /// Makes an object for bytes that are known to be a certificate: a keychain holds them, or another process of
    /// ours read them.
    package init(der: [UInt8], report: CertificateReport? = nil, at keychainItem: KeychainItemHandle? = nil) {
        self.der = der
        self.keychainItem = keychainItem
        known = AdaptiveMutex(report)
    }

    /// The report about the content, which is requested once.
    ///
    /// - Throws: `errSecParam` where the bytes are no certificate after all; `errSecNotAvailable` where securityd
    ///   does not run.
    package func report() throws(KeychainError) -> CertificateReport {
        if let report = known.withLock({ $0 }) { return report }
        let report = try CertificateCalls.report(of: der)
        known.withLock { $0 = report }
        return report
    }

    /// The report where it is already known; no request is sent.
    var knownReport: CertificateReport? { known.withLock { $0 } }

    /// DER of the subject where it is already known.
    var knownSubject: [UInt8]? { known.withLock { $0?.subject.encoded } }

    package var queryValue: QueryValue { .certificate(der, at: keychainItem) }

    public override var hash: Int { der.hashValue }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecCertificate else { return false }
        return der == other.der
    }

    public override var description: String {
        let name = known.withLock { $0?.summary }.map { "“\($0)”, " } ?? ""
        return "<SecCertificate: \(name)\(der.count) bytes>"
    }
}

/// The type identifier of ``SecCertificate`` objects.
public func SecCertificateGetTypeID() -> CFTypeID { SecCertificate.cfTypeID }
