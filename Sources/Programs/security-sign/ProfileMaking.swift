import ChatelaineMemory
import ChatelaineModel
import CodeSignatures
import Glibc

/// Makes a profile with a team's anchor for `security app profile`, from words of the form NAME=VALUE, some of them
/// repeated.
struct ProfileMaking {
    private var output = ""
    private var days = CodeSigner.standardDays
    private var identity: [String] = []
    private var signers: [String] = []
    private var identifiers: [String] = []
    private var groups: [String] = []
    private var applicationGroups: [String] = []

    /// Nil if a word has another form.
    init?(_ words: some Sequence<String>) {
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { return nil }
            switch parts[0] {
            case "output": output = parts[1]
            case "days":
                guard let number = Int(parts[1]) else { return nil }
                days = number
            case "identity": identity.append(parts[1])
            case "signer": signers.append(parts[1])
            case "identifier": identifiers.append(parts[1])
            case "group": groups.append(parts[1])
            case "application-group": applicationGroups.append(parts[1])
            default: return nil
            }
        }
        guard !output.isEmpty, !identity.isEmpty, !signers.isEmpty else { return nil }
    }

    /// Writes the profile and returns its path.
    func run() throws(KeychainError) -> String {
        let anchor = CodeSigner(try SigningIdentity(files: try Self.read(identity)))
        var request = CodeSigner.ProfileRequest(signers: try Self.read(signers), now: Int64(Glibc.time(nil)))
        request.days = days
        (request.identifiers, request.groups, request.applicationGroups) = (identifiers, groups, applicationGroups)
        try OutputFile(output).replace(with: try anchor.profile(request))
        return output
    }

    private static func read(_ paths: [String]) throws(KeychainError) -> [SecretBytes] {
        var files: [SecretBytes] = []
        for path in paths { files.append(try InputFile(path).secret(limit: SigningIdentity.maximumBytes)) }
        return files
    }
}
