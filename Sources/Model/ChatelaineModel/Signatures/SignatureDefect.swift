/// Why a signature counts for nothing. The numbers are on the wire.
package enum SignatureDefect: UInt8, CBORValue, CaseIterable, Sendable, Error {
    /// No JWS in compact form, or none whose parts decode.
    case malformed = 1
    /// The file, a list or a name is beyond ``SignatureLimits``.
    case tooLarge = 2
    /// A header that this version does not understand, or that brings a key of its own.
    case foreignHeader = 3
    case unsupportedAlgorithm = 4
    /// A JSON object that has a name twice says two things.
    case duplicateName = 5
    /// A claim is missing, or is not what it has to be.
    case badClaim = 6
    /// Certificates do not lead from the signer to the team's anchor.
    case badChain = 7
    /// The signer's certificate may not sign programs, or another organizational unit stands in it than the team.
    case wrongSigner = 8
    /// The signature is not by the signer's key, or something was changed after it was made.
    case wrongSignature = 9
    /// It is for other bytes than this executable's.
    case wrongDigest = 10
    /// The identifier or a group is outside the team's name space, or a wildcard.
    case wrongPrefix = 11
    case unknownTeam = 12
    case notYetValid = 13
    case expired = 14
    case revoked = 15
    /// A profile is asked for or there, and does not cover what is claimed.
    case outsideProfile = 16
    /// An interpreter or a program that serves whoever runs it: its signature would be that of every script.
    case sharedProgram = 17
    /// The file is there and could not be read, or trustd did not answer.
    case unreadable = 18

    /// What a person is told; it goes on after “the signature of PATH …”.
    package var sentence: String {
        switch self {
        case .malformed: "is no JWS with certificates"
        case .tooLarge: "is too large, or claims too much"
        case .foreignHeader: "has a header that is not allowed here"
        case .unsupportedAlgorithm: "is made by an algorithm that is not allowed here"
        case .duplicateName: "says something twice"
        case .badClaim: "leaves something out, or says it in another form than it has to"
        case .badChain: "has certificates that do not lead to the team's anchor"
        case .wrongSigner: "is made with a certificate that may not sign programs of this team"
        case .wrongSignature: "is not genuine"
        case .wrongDigest: "is for another content of the file: sign the program again"
        case .wrongPrefix: "claims an identifier or a group that is not the team's"
        case .unknownTeam: "is of a team that is not known here: add its anchor with `security app team add`"
        case .notYetValid: "is not valid yet: look at the clock"
        case .expired: "has expired: sign the program again"
        case .revoked: "is revoked"
        case .outsideProfile: "claims what its profile does not allow"
        case .sharedProgram: "counts for nothing, since that program runs whatever it is told to"
        case .unreadable: "could not be looked at"
        }
    }
}
