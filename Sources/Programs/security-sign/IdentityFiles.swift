import ChatelaineMemory
import ChatelaineModel
import CodeSignatures
import Glibc

/// The three files of a development identity.
///
/// An existing file is never overwritten.
struct IdentityFiles {
    let team: String
    let name: String
    let folder: String

    /// Writes the files and returns their paths.
    func write() throws(KeychainError) -> [String] {
        guard let team = TeamIdentifier(team) else {
            throw KeychainError(.param, "a team is ten capital letters and digits: \(team)")
        }
        let paths = [".pem", "-anchor-key.pem", "-signer.pem"].map { "\(folder)/\(team)\($0)" }
        // Checked before anything is written, because a part of an identity is useless.
        for path in paths where OutputFile(path).exists {
            throw KeychainError(.duplicateItem, "\(path) is there already, and is not written over")
        }
        // The folder holds keys, so a new one is open to its owner alone.
        // SAFETY: the path is a C string during the call.
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw KeychainError(system: errno, "mkdir", folder) }
        let identity = try DevelopmentIdentity(team: team, commonName: name, now: Int64(Glibc.time(nil)))
        let anchor = SecretBytes(identity.anchor)
        var made: [String] = []
        for (path, content) in zip(paths, [anchor, identity.anchorKey, identity.signer]) {
            // The anchor is no secret, and the daemons of all users must be able to read a copy that root makes.
            let permissions: UInt32 = path == paths[0] ? 0o644 : 0o600
            let result = content.withUnsafeBytes { bytes in
                Result { () throws(KeychainError) in try OutputFile(path).make(with: bytes, permissions) }
            }
            if case .failure = result { for path in made { unlink(path) } }
            try result.get()
            made.append(path)
        }
        return paths
    }
}
