import Foundation
import TestSupport
import Testing

/// Teams and their programs, as developers make them with the built command.
extension Household {
    private var identities: String { home + "/identities" }

    /// The anchor that ``makeTeam(_:)`` has made.
    func anchor(of team: String) -> String { "\(identities)/\(team).pem" }

    /// Runs `security`; what it says must be success.
    @discardableResult
    func security(_ words: String...) throws -> [String] {
        let program = try Program(
            [BuildFolder.program("security")] + words, uid: uid, environment: variables, isQuiet: true)
        let output = try program.rest()
        let status = try program.finish()
        try #require(status == 0, "\(words): \(output)")
        return output
    }

    func makeTeam(_ team: String) throws {
        try #require(
            access("\(BuildFolder.daemons)/trustd", X_OK) == 0, "build trustd first: make build CONFIGURATION=debug")
        try security("app", "identity", "create", "--team", team, "--common-name", "Developers of \(team)", identities)
    }

    /// Signs a program of the household as the team's one of that name.
    func sign(_ name: String, by team: String) throws {
        try security(
            "app", "sign", "\(home)/\(name)", "--identity", "\(identities)/\(team)-signer.pem", "--identifier",
            "\(team).\(name)")
    }
}
