/// Why a signature does not count. The numbers are on the wire.
package enum SignatureDefect: UInt8, CBORValue, CaseIterable, Sendable, Error {
    /// The file is no JWS in compact form, or its parts do not decode.
    case malformed = 1
    /// The file, a list or a name exceeds ``SignatureLimits``.
    case tooLarge = 2
    /// The header is unknown to this version, or brings its own key.
    case foreignHeader = 3
    case unsupportedAlgorithm = 4
    /// A JSON object has a name twice, which is ambiguous.
    case duplicateName = 5
    /// A claim is missing, or has a wrong form.
    case badClaim = 6
    /// The certificates do not connect the signer with the team's anchor.
    case badChain = 7
    /// The signer's certificate is not for signing programs, or has another organizational unit than the team.
    case wrongSigner = 8
    /// The signature is not by the signer's key, or the content was changed afterwards.
    case wrongSignature = 9
    /// The digest is that of another executable.
    case wrongDigest = 10
    /// The identifier or a group is outside the team's name space, or a wildcard.
    case wrongPrefix = 11
    case unknownTeam = 12
    case notYetValid = 13
    case expired = 14
    case revoked = 15
    /// A profile is required or present, and does not cover the claims.
    case outsideProfile = 16
    /// The program is an interpreter or serves whoever runs it, so that every script would share the signature.
    case sharedProgram = 17
    /// The file exists and could not be read, or trustd did not answer.
    case unreadable = 18

    /// The sentence for people; it continues “the signature of PATH …”.
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
