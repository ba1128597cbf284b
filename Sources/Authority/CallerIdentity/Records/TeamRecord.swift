import ChatelaineModel
import TrustProtocol

/// A team whose programs the person trusts, as recorded in the ledger.
package struct TeamRecord: Sendable, Hashable {
    /// The most bytes of ``subject`` that are kept.
    static let longestSubject = 1024

    package let owner: TeamOwner
    /// The anchor's certificate, DER.
    package let certificate: [UInt8]
    /// The distinguished name in the certificate, shown to people.
    package let subject: String
    /// Seconds since 1970, as all dates here.
    package let validFrom: Int64
    package let validUntil: Int64
    /// When the team was added.
    package var since: Int64
    /// Whether the team was added with the passcode, or before there was one.
    ///
    /// A team always widens access.
    package var isConfirmed = true

    init(
        owner: TeamOwner, certificate: [UInt8], subject: String, validFrom: Int64, validUntil: Int64, since: Int64
    ) {
        self.owner = owner
        self.certificate = certificate
        self.subject = subject
        self.validFrom = validFrom
        self.validUntil = validUntil
        self.since = since
    }

    /// Makes the record of an anchor that was examined.
    package init(_ report: AnchorReport) {
        var subject = Substring(report.subject)
        while subject.utf8.count > Self.longestSubject { subject.removeLast() }
        self.init(
            owner: report.anchor.owner, certificate: report.anchor.certificate, subject: String(subject),
            validFrom: report.validFrom, validUntil: report.validUntil, since: 0)
    }
}
