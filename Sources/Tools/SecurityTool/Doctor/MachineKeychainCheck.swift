import ChatelaineModel
import Glibc

/// Checks owner and mode of the files that the machine's keychains need; if one is wrong, root's securityd opens none.
struct MachineKeychainCheck {
    private static let name = "keychains.machine"

    /// The folder that contains all of them.
    var folder = String(KeychainFolders.machine.dropLast("/keychains".count))
    var owner: uid_t = 0

    func findings() -> [Finding] {
        let places: [(path: String, kind: mode_t, taken: mode_t)] = [
            (folder, S_IFDIR, 0o022), (folder + "/keychains", S_IFDIR, 0o022), (folder + "/private", S_IFDIR, 0o077),
            (folder + "/private/system-key", S_IFREG, 0o177),
        ]
        var seen = 0
        for (path, kind, taken) in places {
            var status = stat()
            // Other users cannot see into root's folder.
            guard lstat(path, &status) == 0 else { continue }
            seen += 1
            let isRight =
                status.st_mode & S_IFMT == kind && status.st_uid == owner && status.st_mode & taken == 0
                && (kind == S_IFDIR || status.st_nlink == 1)
            guard !isRight else { continue }
            return [
                Finding(
                    Self.name, .problem, "\(path) keeps the machine\u{2019}s keychains from opening",
                    remedy: kind == S_IFDIR
                        ? "make it a folder of root\u{2019}s that nobody else can write to"
                        : "make it a plain file of root\u{2019}s with one name and mode 600")
            ]
        }
        return seen == 0 ? [] : [Finding(Self.name, .ok, "what is in \(folder) is root\u{2019}s alone to change")]
    }
}
