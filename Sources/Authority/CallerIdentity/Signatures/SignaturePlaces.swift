import ChatelaineModel

/// The paths of root's configuration of signatures (`Documentation/formats/signature-files.md`).
///
/// No variable and no setting chooses the folder, because its content decides whose signatures the daemon trusts.
package struct SignaturePlaces: Sendable {
    /// The folder that contains all of them.
    let folder: String

    package static let system = SignaturePlaces(folder: "/etc/chatelaine")

    /// - Parameter folder: another folder than the system's, for tests.
    package init(folder: String) { self.folder = folder }

    /// The folder of signatures that are named by the digests of their executables.
    var signatures: String { folder + "/signatures" }
    var teams: String { folder + "/teams" }
    var revocations: String { folder + "/revoked" }

    func signature(of digest: ExecutableDigest) -> String { "\(signatures)/\(digest)\(Self.ending)" }
    func anchor(of team: TeamIdentifier) -> String { "\(teams)/\(team).pem" }
    func profileMark(of team: TeamIdentifier) -> String { "\(teams)/\(team).requires-profiles" }

    /// The ending of a signature's file name, also beside an executable.
    static let ending = ".codesig"
}
