import ChatelaineIPC
import ChatelaineModel
import Glibc

/// Checks owners and modes of our folders, of the files in them, and of the folders above.
struct FolderChecks {
    /// The most entries that are checked in a folder: far above those of a sound installation.
    private static let maximumEntries = 1_000
    /// The depth of our deepest folder: data, stores, one store, its files.
    private static let maximumDepth = 4

    let deployment: Deployment
    let uid: UInt32

    func findings() -> [Finding] {
        let folders = [
            ("folder.data", deployment.dataFolder), ("folder.state", deployment.stateFolder),
            ("folder.runtime", deployment.runtimeFolder),
        ]
        return folders.map { name, path in
            if deployment.mode == .system, uid != 0 { return Finding(name, .ok, "\(path), out of users' reach") }
            return check(name, path)
        }
    }

    private func check(_ name: String, _ path: String) -> Finding {
        if let finding = checkAbove(name, path) { return finding }
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else {
                return finding(name, path, errno)
            }
            return Finding(name, .ok, "\(path) is not there yet; it is made on first use")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return finding(name, path, ENOTDIR)
        }
        var seen = 0
        if let finding = fault(name, path, status) ?? checkInside(name, path, depth: 1, &seen) { return finding }
        guard access(path, R_OK | W_OK | X_OK) == 0 else {
            return finding(name, path, errno)
        }
        return Finding(
            name, .ok,
            seen == 0
                ? "\(path) is this user's alone"
                : "\(path) and what is in it (\(seen)) are this user's alone")
    }

    /// The finding for an error of the system.
    private func finding(_ name: String, _ path: String, _ error: Int32) -> Finding {
        let failure = SystemFailure(error)
        var status = stat()
        // Only its owner can change the mode of a folder.
        let isOthers = lstat(path, &status) != 0 ? error == EACCES : status.st_uid != uid
        let remedy = isOthers && error == EACCES ? Self.elsewhere : failure.remedy(for: path)
        return Finding(
            name, .problem, "\(path): \(failure.words)", remedy: remedy ?? "let this user read and write it")
    }

    private static let elsewhere = "choose another place with CHATELAINE_HOME, or have its owner let this user in"

    /// The finding about one entry; nil if it is sound.
    private func fault(_ name: String, _ path: String, _ status: stat) -> Finding? {
        guard status.st_uid == uid else {
            return Finding(
                name, .problem, "\(path) belongs to user \(status.st_uid)",
                remedy:
                    "choose another place with CHATELAINE_HOME, or have root give it to this user: chown \(uid) \(path)"
            )
        }
        // The mode of a symbolic link means nothing, but no such link belongs here.
        guard status.st_mode & S_IFMT != S_IFLNK else {
            return Finding(name, .problem, "\(path) is a symbolic link", remedy: "put the real file in its place")
        }
        let kind = status.st_mode & S_IFMT
        // The daemons expect folders at these paths, where a file may stand instead.
        let isFolder = [deployment.storeFolder, deployment.enclaveFolder, deployment.dataFolder + "/stores"].contains(
            path)
        if isFolder, kind != S_IFDIR { return finding(name, path, ENOTDIR) }
        let needed = kind == S_IFDIR ? S_IRWXU : kind == S_IFREG ? S_IRUSR | S_IWUSR : 0
        // Root needs none of these permissions.
        if uid != 0, status.st_mode & needed != needed { return finding(name, path, EACCES) }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o7777, radix: 8)
            return Finding(
                name, .problem, "\(path) is open to others (mode \(mode))", remedy: "chmod go-rwx \(path)")
        }
        return nil
    }

    private func checkInside(_ name: String, _ path: String, depth: Int, _ seen: inout Int) -> Finding? {
        guard depth <= Self.maximumDepth, let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        while seen < Self.maximumEntries, let entry = readdir(folder) {
            // SAFETY: the kernel ends the name with a zero within the array, which lives until the next readdir.
            let child = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard child != ".", child != ".." else { continue }
            seen += 1
            let childPath = path + "/" + child
            var status = stat()
            guard lstat(childPath, &status) == 0 else { continue }
            if let finding = fault(name, childPath, status) { return finding }
            if status.st_mode & S_IFMT == S_IFDIR,
                let finding = checkInside(name, childPath, depth: depth + 1, &seen)
            {
                return finding
            }
        }
        return nil
    }

    /// The finding about a parent folder that others can write to.
    ///
    /// They could replace our folder, unless the parent's sticky bit forbids it.
    private func checkAbove(_ name: String, _ path: String) -> Finding? {
        var folder = path
        while let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")), folder != "/" {
            folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
            var status = stat()
            guard stat(folder, &status) == 0 else { continue }
            let isOpen = status.st_mode & 0o022 != 0 && status.st_mode & S_ISVTX == 0
            let isStrangers = status.st_uid != uid && status.st_uid != 0
            guard isOpen || isStrangers else { continue }
            return Finding(
                name, .problem,
                isStrangers
                    ? "\(folder), above \(path), belongs to user \(status.st_uid)"
                    : "\(folder), above \(path), can be changed by others",
                remedy: (isStrangers ? "" : "chmod go-w \(folder), or ") + "choose another place with CHATELAINE_HOME")
        }
        return nil
    }
}
