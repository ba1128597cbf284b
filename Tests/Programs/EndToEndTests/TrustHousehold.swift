import Foundation
import TestSupport

/// A person with an application that evaluates trust, and a company's certificates.
struct TrustHousehold {
    static let (trusted, untrusted) = (0, -25318)
    static let denied = -67654
    /// The status of an evaluation if the denials are unknown.
    static let unknown = -25262

    let household: Household
    let tools: Developers
    let files: AuthorityFiles

    init() throws {
        // Root's own trust settings are those of the machine.
        household = try Household(uid: geteuid() == 0 ? Privilege.user(94) : geteuid())
        tools = try Developers(in: household)
        files = try AuthorityFiles(in: household.home)
        try household.application("app")
    }

    /// Evaluates the certificate of the company's server in the application.
    func ask(_ besides: [String: Any] = [:]) throws -> (status: Int, details: [String: Any]) {
        let question: [String: Any] = [
            "call": "trust", "certificates": [try files.certificate("leaf")], "host": AuthorityFiles.host,
        ]
        let answer = try household.probe("app").ask(question.merging(besides) { $1 })
        return (answer.status, answer.result as? [String: Any] ?? [:])
    }

    /// Evaluates it with the company's root as an anchor of the application.
    func askWithRoot() throws -> Int { try ask(["anchors": [try files.certificate("root")]]).status }

    func setPasscode() throws { try tools.setPasscode() }

    func renewKeys() throws {
        try tools.require(
            ["passcode", "change", "--new-keys", "--stdin"], reads: "\(Household.passcode)\n\(Household.passcode)")
    }

    func denyLeaf() throws { try tools.require(["add-trusted-cert", "-r", "deny", files.path("leaf")]) }
}
