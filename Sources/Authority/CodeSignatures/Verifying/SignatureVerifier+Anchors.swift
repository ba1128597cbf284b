import ChatelaineModel
import SignatureFormat
import SwiftASN1
import TrustProtocol
import X509

extension SignatureVerifier {
    package func examine(_ question: AnchorQuestion) throws(KeychainError) -> AnchorReport {
        guard question.file.count <= SignatureLimits.maximumAnchorBytes else {
            throw Self.unsuitable("it has more than \(SignatureLimits.maximumAnchorBytes) bytes")
        }
        let bytes = try Self.certificate(in: question.file)
        let certificate: Certificate
        do throws(SignatureFlaw) { certificate = try Certificate.read(bytes, "it") } catch {
            throw Self.unsuitable(error.detail)
        }
        guard let unit = certificate.organizationalUnit, let team = TeamIdentifier(unit) else {
            throw Self.unsuitable("its organizational unit is no team: one of ten capital letters and digits")
        }
        if let wanted = question.team, wanted != team { throw Self.unsuitable("it is of the team \(team)") }
        guard certificate.version == .v3, certificate.isAuthority, certificate.allows(\.keyCertSign) else {
            throw Self.unsuitable("it may not issue certificates")
        }
        guard certificate.hasSupportedKey, let key = certificate.keyDigest else {
            throw Self.unsuitable("its key is on no curve that is known here (P-256, P-384, P-521, Ed25519)")
        }
        let validity = certificate.validity
        guard question.now <= validity.until else { throw Self.unsuitable("it has expired") }
        guard question.now >= validity.from else { throw Self.unsuitable("it is not valid yet: look at the clock") }
        return AnchorReport(
            anchor: TeamAnchor(owner: TeamOwner(team: team, anchorKey: key), certificate: bytes),
            subject: PrintableText.cut("\(certificate.subject)", to: SignatureLimits.maximumSubjectBytes),
            validFrom: validity.from, validUntil: validity.until)
    }

    /// The DER of the single certificate in a file.
    private static func certificate(in file: [UInt8]) throws(KeychainError) -> [UInt8] {
        // DER begins with the tag of a SEQUENCE; PEM is text.
        if file.first == 0x30 { return file }
        let documents = try? PEMDocument.parseMultiple(pemString: String(decoding: file, as: UTF8.self))
        guard let documents, documents.count == 1, let document = documents.first,
            document.discriminator == Certificate.defaultPEMDiscriminator
        else { throw unsuitable("it is not one certificate, and nothing besides") }
        return document.derBytes
    }

    static func unsuitable(_ reason: String) -> KeychainError {
        KeychainError(
            .param,
            PrintableText.cut("this can be no team's anchor: \(reason)", to: SignatureLimits.maximumDetailBytes))
    }
}
