import ChatelaineModel
import ChatelaineSystem
import Glibc

/// The data folder to which a state folder belongs, by a file that names it.
///
/// Keys and marks are in the state folder. Beside another data folder they would say that everything is lost, and a
/// daemon would go on from there. That is where a program has another `XDG_DATA_HOME` than its session, and the same
/// `XDG_STATE_HOME`, as in terminals of some editors (behaviour/deployment.md, 17).
package struct StateFolderOwner {
    /// `PATH_MAX`; the kernel takes no longer path.
    private static let longestPath = 4096

    private let deployment: Deployment
    private let files: FileCalls

    package init(_ deployment: Deployment, files: FileCalls = .system) {
        (self.deployment, self.files) = (deployment, files)
    }

    private static let name = "data-folder"

    /// The error where the state folder belongs to another data folder that is still there.
    package var conflict: KeychainError? {
        guard let owner = read(), owner != deployment.dataFolder, let folder = FileIdentity(at: owner),
            folder != FileIdentity(at: deployment.dataFolder), access(owner + "/stores", F_OK) == 0
        else { return nil }
        return KeychainError(
            .notAvailable,
            "the keys in \(deployment.stateFolder) belong to the items in \(owner), and not to \(deployment.dataFolder): "
                + "unset XDG_DATA_HOME, or set XDG_STATE_HOME to another folder as well")
    }

    /// Makes the state folder that of this deployment's data folder.
    ///
    /// Where the file cannot be written, as on a read-only disk, it says what it said.
    ///
    /// - Throws: `errSecNotAvailable` where it belongs to another one.
    package func claim() throws(KeychainError) {
        if let conflict { throw conflict }
        guard read() != deployment.dataFolder else { return }
        try? write(Array(deployment.dataFolder.utf8))
    }

    private func write(_ content: [UInt8]) throws {
        let folder = try files.open(deployment.stateFolder, in: AT_FDCWD, .folderThrough)
        try files.replace(
            Self.name, in: folder.number, path: deployment.stateFolder, draft: Self.name + ".new", with: content)
    }

    private func read() -> String? {
        guard
            let bytes = try? files.contents(
                of: "\(deployment.stateFolder)/\(Self.name)", in: AT_FDCWD, limit: Self.longestPath),
            let owner = String(validating: bytes, as: UTF8.self), owner.hasPrefix("/"), !owner.utf8.contains(0)
        else { return nil }
        return owner
    }
}
