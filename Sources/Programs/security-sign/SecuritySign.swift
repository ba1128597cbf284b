import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import Glibc
import Sandbox

/// Signs programs for `security app sign`, and makes profiles and identities for `security app profile` and
/// `identity create`.
///
/// It is a program of its own, because the libraries that read certificates cannot be built beside a module named
/// Security. `security` reads the command line and starts this program, so its words are not for people:
///
///     security-sign sign PROGRAM OUTPUT IDENTIFIER DAYS ENTITLEMENTS PROFILE IDENTITY…     (`ProgramSigning`)
///     security-sign profile output=FILE identity=FILE… signer=FILE… …     (`ProfileMaking`)
///     security-sign create TEAM NAME FOLDER     (`IdentityFiles`)
///
/// ENTITLEMENTS and PROFILE may be empty.
@main
enum SecuritySign {
    private static let usageStatus: Int32 = 2

    static func main() {
        // Libraries free memory that holds keys.
        FreedMemory.startAgainIfNeeded()
        CrashHandlers.remove()
        var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)
        _ = chatelaine_set_not_dumpable()
        do throws(KeychainError) {
            for line in try run(Array(CommandLine.arguments.dropFirst())) { print(line) }
        } catch {
            say("security: \(error.reason)\n")
            exit(1)
        }
    }

    /// Runs the command and returns the paths of the files that it wrote.
    private static func run(_ words: [String]) throws(KeychainError) -> [String] {
        switch (words.first, words.count) {
        case ("sign", 8...):
            guard let days = Int(words[4]) else { break }
            let signing = ProgramSigning(
                program: words[1], output: words[2], identifier: words[3], days: days,
                entitlements: words[5].isEmpty ? nil : words[5], profile: words[6].isEmpty ? nil : words[6],
                identity: Array(words[7...]))
            try signing.run()
            return [signing.output]
        case ("profile", _):
            guard let making = ProfileMaking(words.dropFirst()) else { break }
            return [try making.run()]
        case ("create", 4): return try IdentityFiles(team: words[1], name: words[2], folder: words[3]).write()
        default: break
        }
        say("security-sign: it is started by `security app sign`, `profile` and `identity create`\n")
        exit(usageStatus)
    }

    private static func say(_ text: String) {
        var text = text
        text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
