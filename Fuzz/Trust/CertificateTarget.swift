import CertificateReading
import ChatelaineModel
import TrustEvaluation
import TrustProtocol

/// Reads a certificate, a name, or a file of roots; each must be within its limits and have one form.
enum CertificateTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var intake = Intake(bytes)
        switch intake.byte() {
        case 0: check(certificate: [UInt8](intake.rest()))
        // The signed content is parsed before the signature is checked.
        case 1: check(certificate: FuzzAuthority.signed(intake.rest()))
        case 2: check(name: [UInt8](intake.rest()))
        case 3: check(bundle: [UInt8](intake.rest()))
        default: check(certificate: [UInt8](bytes))
        }
    }

    private static func check(certificate: [UInt8]) {
        let reading = CertificateReader.read(certificate)
        var writer = CBORWriter()
        reading.encode(to: &writer)
        writer.finishArray().withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            let again = try? CertificateReading(from: &reader)
            precondition(again == reading, "what was read of a certificate does not reach securityd")
        }
        guard case .report(let report) = reading else { return }
        for name in [report.issuer, report.subject] { check(name: name.encoded) }
    }

    /// Checks that normalising a normalised name changes nothing. The name has no head of its sequence.
    private static func check(name: [UInt8]) {
        guard let once = (try? CertificateReader.normalize([name]))?.first else { return }
        let again = try? CertificateReader.normalize([FuzzAuthority.element(0x30, once)])
        precondition(again == [once], "a normalised name has another form")
    }

    private static func check(bundle: [UInt8]) {
        let roots = RootBundle.read(bundle)
        precondition(roots.count <= TrustLimits.maximumRoots, "too many roots")
        precondition(Set(roots.map(\.certificate)).count == roots.count, "a root twice")
    }
}
