import ChatelaineModel
import Glibc

/// What a user may declare as in development: a folder or program of their own, and not half the machine.
struct DevelopmentRule: Sendable {
    /// Whose decisions these are.
    let user: uid_t
    /// Their home, by every name it goes by.
    let homes: [String]
    let system: any SystemCalls

    /// The homes of `user`: from the account database, and from HOME where the daemon is that user's own.
    static func homes(of user: uid_t) -> [String] {
        var homes = [String]()
        if let home = accountHome(of: user) { homes.append(home) }
        // SAFETY: getenv's answer is copied at once; the daemon never changes its environment.
        if user == geteuid(), let home = getenv("HOME") { homes.append(String(cString: home)) }
        return homes
    }

    /// The canonical path of `path`, and whether it is a folder.
    ///
    /// - Throws: `errSecParam` with the reason when it may not be declared.
    func check(_ path: String) throws(KeychainError) -> (path: String, isFolder: Bool) {
        guard path.hasPrefix("/") else {
            throw KeychainError(.param, "\(path) is not an absolute path: name the folder or program from / on")
        }
        let (canonical, status) = try resolve(path)
        guard status.isFolder || status.isExecutable else {
            throw KeychainError(.param, "\(canonical) is neither a folder nor a program")
        }
        // Programs: the file itself may be anything; for a folder it matters who else can put programs there.
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

    private func refuseHome(_ folder: String, owner: uid_t) throws(KeychainError) {
        if folder == "/" { throw KeychainError(.param, "/ holds every program: declare the build folder alone") }
        for home in homes + [Self.accountHome(of: owner)].compactMap(\.self) {
            guard let home = try? resolve(home).path, home != "/" else { continue }
            if home == folder || home.hasPrefix(folder + "/") {
                throw KeychainError(
                    .param, "\(folder) is or holds the home folder \(home): declare the build folder alone")
            }
        }
    }

    /// Follows symbolic links and says where they lead.
    private func resolve(_ path: String) throws(KeychainError) -> (path: String, status: FileStatus) {
        do throws(Errno) {
            guard path.utf8.count <= ApplicationLedger.longestPath else { throw .nameTooLong }
            let file = try system.open(path, in: AT_FDCWD, .lookThrough)
            let status = try system.status(of: file.number)
            let text = try system.link(at: "/proc/self/fd/\(file.number)", in: AT_FDCWD)
            guard let canonical = PrintablePath.text(text) else { throw Errno(EILSEQ) }
            return (canonical, status)
        } catch { throw KeychainError(.param, "\(PrintablePath.shown(path)) cannot be used: \(error)") }
    }

    private static func accountHome(of user: uid_t) -> String? {
        // Enough for any account line; a longer one is treated as unknown.
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
