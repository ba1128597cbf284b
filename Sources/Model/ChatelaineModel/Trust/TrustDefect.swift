/// A defect of one certificate of a chain. The numbers are on the wire.
package enum TrustDefect: UInt8, CBORValue, CaseIterable, Sendable {
    /// The chain ends at a certificate that is not trusted.
    case notTrusted = 1
    /// The issuer of the chain's last certificate was not found.
    case noIssuer = 2
    case expired = 3
    case notYetValid = 4
    case wrongHostName = 5
    case wrongEmailAddress = 6
    /// Its extended key usage does not allow this use.
    case wrongPurpose = 7
    /// Its key usage does not allow this use.
    case wrongKeyUsage = 8
    /// It issued another certificate although it is no authority.
    case notAnAuthority = 9
    /// It issued a chain that is longer than it allows.
    case pathTooLong = 10
    /// A name of it, or of a certificate below it, violates the constraints of an issuer.
    case nameNotAllowed = 11
    /// It has a critical extension that this software does not know.
    case unknownCriticalExtension = 12
    case weakKey = 13
    case weakDigest = 14
    case revoked = 15
    /// Proof that it was not revoked is required, and there is none.
    case revocationUnknown = 16
    /// A setting of a person or the administrator denies it.
    case denied = 17
    /// It cannot be read as a certificate, or has a key of an unknown kind.
    case unreadable = 18
    /// It is for a server, and is valid for longer than clients accept.
    case validForTooLong = 19
    /// It has a known extension that cannot be read.
    case damagedExtension = 20

    package var status: Status {
        switch self {
        case .notTrusted: .notTrusted
        case .noIssuer: .createChainFailed
        case .expired: .certificateExpired
        case .notYetValid: .certificateNotValidYet
        case .wrongHostName: .hostNameMismatch
        case .wrongEmailAddress: .smimeEmailAddressesNotFound
        case .wrongPurpose: .invalidExtendedKeyUsage
        case .wrongKeyUsage: .invalidKeyUsageForPolicy
        case .notAnAuthority: .noBasicConstraintsCA
        case .pathTooLong: .pathLengthConstraintExceeded
        case .nameNotAllowed: .invalidName
        case .unknownCriticalExtension: .unknownCriticalExtensionFlag
        case .weakKey: .unsupportedKeySize
        case .weakDigest: .invalidDigestAlgorithm
        case .revoked: .certificateRevoked
        case .revocationUnknown: .incompleteCertRevocationCheck
        case .denied: .trustSettingDeny
        case .unreadable, .damagedExtension: .decode
        case .validForTooLong: .certificateValidityPeriodTooLong
        }
    }

    /// Whether no exception that a program makes can allow the defect.
    package var isFatal: Bool {
        switch self {
        case .notAnAuthority, .pathTooLong, .nameNotAllowed, .unknownCriticalExtension, .weakKey, .weakDigest, .revoked,
            .unreadable, .damagedExtension:
            true
        case .notTrusted, .noIssuer, .expired, .notYetValid, .wrongHostName, .wrongEmailAddress, .wrongPurpose,
            .wrongKeyUsage, .revocationUnknown, .denied, .validForTooLong:
            false
        }
    }

    /// The place in the order in which defects are reported, 0 for the most serious; it is Apple's order.
    ///
    /// A program that accepts a name or a date must not be told of these where nobody trusts the chain at all.
    package var seriousness: Int {
        switch self {
        case .revoked: 0
        case .weakKey: 1
        case .weakDigest: 2
        case .denied: 3
        case .unreadable: 4
        case .unknownCriticalExtension, .damagedExtension, .notAnAuthority, .pathTooLong, .nameNotAllowed: 5
        case .noIssuer, .notTrusted: 6
        case .wrongPurpose, .wrongKeyUsage: 7
        case .wrongHostName, .wrongEmailAddress: 8
        case .expired, .notYetValid: 9
        case .validForTooLong: 10
        case .revocationUnknown: 11
        }
    }

    /// Whether a setting that allows errors can allow the defect.
    ///
    /// A setting allows nothing that no exception can allow. Only the result of a setting decides what is trusted or
    /// denied.
    package var canBeAllowed: Bool {
        switch self {
        case .notTrusted, .noIssuer, .denied: false
        default: !isFatal
        }
    }

    /// The few words about the defect in a list of all.
    private var words: String {
        switch self {
        case .notTrusted: "it is not trusted"
        case .noIssuer: "its issuer is not known"
        case .expired: "it is expired"
        case .notYetValid: "it is not valid yet"
        case .wrongHostName: "its names do not match the host"
        case .wrongEmailAddress: "its names do not match the e-mail address"
        case .wrongPurpose: "it is not for this purpose"
        case .wrongKeyUsage: "its key is not for this usage"
        case .notAnAuthority: "it may not issue certificates"
        case .pathTooLong: "too many issuers are below it"
        case .nameNotAllowed: "an issuer does not permit its names"
        case .unknownCriticalExtension: "it has an unknown critical extension"
        case .weakKey: "its key is too short"
        case .weakDigest: "its signature has a weak digest"
        case .revoked: "it is revoked"
        case .revocationUnknown: "its revocation could not be checked"
        case .denied: "a setting denies it"
        case .unreadable: "it cannot be read"
        case .validForTooLong: "it is valid for too long"
        case .damagedExtension: "an extension of it cannot be read"
        }
    }

    /// All defects of one certificate of a chain, in Apple's frame for programs that log it.
    package static func sentence(of defects: [TrustDefect], _ name: String, at index: Int) -> String {
        "Certificate \(index) “\(name)” has errors: \(defects.map(\.words).joined(separator: ", "));"
    }

    /// The sentence about the defect, with the certificate's name.
    package func sentence(of name: String) -> String {
        let subject = "“\(name)” certificate"
        return switch self {
        case .notTrusted: "\(subject) is not trusted"
        case .noIssuer: "\(subject) was issued by somebody unknown: no chain to a trusted root could be built"
        case .expired: "\(subject) is expired"
        case .notYetValid: "\(subject) is not valid yet"
        case .wrongHostName: "\(subject) name does not match input"
        case .wrongEmailAddress: "\(subject) is for no such e-mail address"
        case .wrongPurpose: "\(subject) is not permitted for this usage"
        case .wrongKeyUsage: "\(subject) has a key that is not permitted for this usage"
        case .notAnAuthority: "\(subject) is not permitted to issue certificates"
        case .pathTooLong: "\(subject) is not permitted to have so many issuers below it"
        case .nameNotAllowed: "\(subject) has a name that its issuer is not permitted to certify"
        case .unknownCriticalExtension: "\(subject) has a critical extension that is not known here"
        case .weakKey: "\(subject) has a key that is too short"
        case .weakDigest: "\(subject) is signed with a digest that is too weak"
        case .revoked: "\(subject) is revoked"
        case .revocationUnknown: "\(subject) could not be checked for revocation"
        case .denied: "\(subject) is set to be never trusted"
        case .unreadable: "\(subject) cannot be read, or its key is of an unknown kind"
        case .validForTooLong: "\(subject) is valid for too long a time"
        case .damagedExtension: "\(subject) has an extension that cannot be read"
        }
    }
}
