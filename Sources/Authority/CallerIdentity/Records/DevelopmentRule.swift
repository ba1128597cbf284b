import ChatelaineModel
import ChatelaineSystem
import Glibc

/// The rule for what a user may declare as in development: a folder or program of their own, but not a home folder or
/// more.
struct DevelopmentRule: Sendable {
    /// The user who decides.
    let user: uid_t
    /// The user's home folder, by every known name.
    let homes: [String]
    let system: IdentitySystemCalls

    /// The home folders of `user`: from the account database, and from HOME if the daemon runs as that user.
    static func homes(of user: uid_t) -> [String] {
        var homes = [String]()
        if let home = accountHome(of: user) { homes.append(home) }
        // SAFETY: getenv's answer is copied at once; the daemon never changes its environment.
        if user == geteuid(), let home = getenv("HOME") { homes.append(String(cString: home)) }
        return homes
    }

    /// Checks a path that a user wants to declare; returns its canonical path, and whether it is a folder.
    ///
    /// - Throws: `errSecParam` with the reason if the path may not be declared.
    func check(_ path: String) throws(KeychainError) -> (path: CanonicalPath, isFolder: Bool) {
        guard path.utf8.first == UInt8(ascii: "/") else {
            throw KeychainError(.param, "\(path) is not an absolute path: name the folder or program from / on")
        }
        let (canonical, status) = try resolve(path)
        guard status.isFolder || status.isExecutable else {
            throw KeychainError(.param, "\(canonical) is neither a folder nor a program")
        }
        // Everybody who can write a folder can put programs into it.
        if status.isWorldWritable {
            throw KeychainError(
                .param, "everybody can write \(canonical): declare a folder or program of your own, inside it perhaps")
        }
        guard status.owner == user || status.owner == 0 else {
            throw KeychainError(.param, "\(canonical) belongs to another user")
        }
        if status.isFolder { try refuseHome(canonical, owner: status.owner) }
        return (canonical, status.isFolder)
    }

    private func refuseHome(_ folder: CanonicalPath, owner: uid_t) throws(KeychainError) {
        if folder.isRoot { throw KeychainError(.param, "/ holds every program: declare the build folder alone") }
        for home in homes + [Self.accountHome(of: owner)].compactMap(\.self) {
            guard let home = try? resolve(home).path, !home.isRoot else { continue }
            if folder.holds(home) {
                throw KeychainError(
                    .param, "\(folder) is or holds the home folder \(home): declare the build folder alone")
            }
        }
    }

    /// Follows symbolic links and returns the path to which they lead.
    private func resolve(_ path: String) throws(KeychainError) -> (path: CanonicalPath, status: FileStatus) {
        do throws(Errno) {
            guard path.utf8.count <= ApplicationLedger.longestPath else { throw .nameTooLong }
            let file = try FollowedPath(path, system: system)
            return (file.path, file.status)
        } catch .remote {
            throw KeychainError(
                .param,
                "\(PrintablePath.shown(path)) lies on a file system that a program serves (FUSE), which is not asked for it: declare "
                    + "the folder at which that is mounted")
        } catch { throw KeychainError(.param, "\(PrintablePath.shown(path)) cannot be used: \(error)") }
    }

    private static func accountHome(of user: uid_t) -> String? {
        // Enough for any account line; a longer one counts as unknown.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 * 1024) { buffer in
            var account = passwd()
            var found: UnsafeMutablePointer<passwd>?
            // SAFETY: the strings lie in `buffer`, and the one needed is copied before it ends.
            guard let base = buffer.baseAddress, getpwuid_r(user, &account, base, buffer.count, &found) == 0,
                found != nil, let home = account.pw_dir
            else { return nil }
            return String(cString: home)
        }
    }
}
