import ChatelaineModel
import ChatelaineSystem
import Glibc

/// The data folder to which a state folder belongs, by a file that names it.
///
/// Keys and marks are in the state folder. Beside another data folder they would say that everything is lost, and a
/// daemon would go on from there. That is where a program has another `XDG_DATA_HOME` than its session, and the same
/// `XDG_STATE_HOME`, as in terminals of some editors (behaviour/deployment.md, 17).
///
/// The file has two paths, each with a zero byte behind it: that of the state folder, and that of the data folder. In a
/// copy of a home the first is another one, and the file says nothing.
package struct StateFolderOwner {
    /// Twice `PATH_MAX`; the kernel takes no longer path.
    private static let longest = 2 * 4096

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
        try? write(Array("\(deployment.stateFolder)\0\(deployment.dataFolder)\0".utf8))
    }

    private func write(_ content: [UInt8]) throws {
        let folder = try files.open(deployment.stateFolder, in: AT_FDCWD, .folderThrough)
        try files.replace(
            Self.name, in: folder.number, path: deployment.stateFolder, draft: Self.name + ".new", with: content)
    }

    /// The data folder that the file names for this state folder.
    private func read() -> String? {
        let file = "\(deployment.stateFolder)/\(Self.name)"
        guard let bytes = try? files.contents(of: file, in: AT_FDCWD, limit: Self.longest), bytes.last == 0 else {
            return nil
        }
        let paths = bytes.split(separator: 0).compactMap { String(validating: $0, as: UTF8.self) }
        guard paths.count == 2, paths[0] == deployment.stateFolder, paths[1].hasPrefix("/") else { return nil }
        return paths[1]
    }
}
