/// What is wrong with one certificate of a chain. The numbers are on the wire.
package enum TrustDefect: UInt8, CBORValue, CaseIterable, Sendable {
    /// The chain ends at a certificate that nobody trusts.
    case notTrusted = 1
    /// Nobody is there who issued the last certificate of the chain.
    case noIssuer = 2
    case expired = 3
    case notYetValid = 4
    case wrongHostName = 5
    case wrongEmailAddress = 6
    /// Its extended key usage does not allow what it is used for.
    case wrongPurpose = 7
    /// Its key usage does not allow what it is used for.
    case wrongKeyUsage = 8
    /// It issued another one and is not for issuing certificates.
    case notAnAuthority = 9
    /// It issued others that are further down than it allows.
    case pathTooLong = 10
    /// A name of it, or of one that it issued, is not among those that an issuer allows.
    case nameNotAllowed = 11
    /// It asks that something be understood which is not understood here.
    case unknownCriticalExtension = 12
    case weakKey = 13
    case weakDigest = 14
    case revoked = 15
    /// It is asked that nobody revoked it, and nobody says so.
    case revocationUnknown = 16
    /// A person or the administrator has said that it is not to be trusted.
    case denied = 17
    /// It is no certificate that can be read, or its key is of no kind that is known here.
    case unreadable = 18
    /// It is for a server, and is valid for longer than clients accept.
    case validForTooLong = 19
    /// An extension that is understood here cannot be read.
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

    /// Whether no exception of a program's makes up for it.
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

    /// Whether a setting that allows errors makes up for it. What no exception makes up for is not for a setting either; and what is trusted or denied is said by
    /// its result alone.
    package var canBeAllowed: Bool {
        switch self {
        case .notTrusted, .noIssuer, .denied: false
        default: !isFatal
        }
    }

    /// What a person is told of the certificate that has this name.
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
