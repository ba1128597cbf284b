import ChatelaineModel

/// Where root says what counts of signatures (`Documentation/formats/signature-files.md`).
///
/// No variable and no setting chooses the folder: whoever did would choose whom the daemon believes.
package struct SignaturePlaces: Sendable {
    /// Below which everything is.
    let folder: String

    package static let system = SignaturePlaces(folder: "/etc/chatelaine")

    /// - Parameter folder: another one is for tests.
    package init(folder: String) { self.folder = folder }

    /// Signatures by the digests of their executables.
    var signatures: String { folder + "/signatures" }
    var teams: String { folder + "/teams" }
    var revocations: String { folder + "/revoked" }

    func signature(of digest: ExecutableDigest) -> String { "\(signatures)/\(digest)\(Self.ending)" }
    func anchor(of team: TeamIdentifier) -> String { "\(teams)/\(team).pem" }
    func profileMark(of team: TeamIdentifier) -> String { "\(teams)/\(team).requires-profiles" }

    /// What the name of a signature ends with, beside an executable as well.
    static let ending = ".codesig"
}
