import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Foundation

/// A certificate of X.509.
///
/// It never changes, and any thread may use it. Two are equal when their bytes are. What is in it was read in a process of ours that is shut in:
/// this one has the bytes, and what was said about them.
public final class SecCertificate: NSObject, CFTypeIdentified, Sendable {
    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 258

    /// DER.
    package let der: [UInt8]
    /// Its item, where it was found in a file keychain.
    package let keychainItem: KeychainItemHandle?
    /// Nil until somebody asked what is in it.
    private let known: AdaptiveMutex<CertificateReport?>

    /// One of which it is known that it is a certificate, since the keychain has it, or another process of ours read it.
    package init(der: [UInt8], report: CertificateReport? = nil, at keychainItem: KeychainItemHandle? = nil) {
        self.der = der
        self.keychainItem = keychainItem
        known = AdaptiveMutex(report)
    }

    /// What is in it; asks for that once.
    ///
    /// - Throws: `errSecParam` where it is none after all; `errSecNotAvailable` where nobody can look.
    package func report() throws(KeychainError) -> CertificateReport {
        if let report = known.withLock({ $0 }) { return report }
        let report = try CertificateCalls.report(of: der)
        known.withLock { $0 = report }
        return report
    }

    /// The same where it is known already; nobody is asked.
    package var knownReport: CertificateReport? { known.withLock { $0 } }

    /// DER of its subject where that is known already.
    package var knownSubject: [UInt8]? { known.withLock { $0?.subject.encoded } }

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
