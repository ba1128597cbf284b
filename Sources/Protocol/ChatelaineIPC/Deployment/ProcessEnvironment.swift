import CChatelaine
import ChatelaineModel
import Glibc

/// The facts about a process that decide its deployment; tests give others.
package struct ProcessEnvironment: Sendable {
    package var uid: UInt32
    /// The home of the account, or the value of `HOME`.
    package var home: String
    /// Whether `home` is the account's home.
    ///
    /// The answer may come from a directory server, so no call of a program waits for it.
    package var isHomeOfAccount: @Sendable () -> Bool = { true }
    /// The value of an environment variable, where the process may use it.
    package var variable: @Sendable (String) -> String?
    /// Whether a path leads to a folder that belongs to this user.
    ///
    /// The XDG specification demands it of `XDG_RUNTIME_DIR`: `su` passes on that of the user who calls it.
    package var isOwnFolder: @Sendable (String) -> Bool
    /// The name of another account whose home `home` is, where this process is root's; nil otherwise.
    package var strangerAtHome: @Sendable () -> String? = { nil }
    package var isSystemMode: @Sendable () -> Bool

    package init(
        uid: UInt32, home: String, variable: @escaping @Sendable (String) -> String?,
        isOwnFolder: @escaping @Sendable (String) -> Bool, isSystemMode: @escaping @Sendable () -> Bool
    ) {
        self.uid = uid
        self.home = home
        self.variable = variable
        self.isOwnFolder = isOwnFolder
        self.isSystemMode = isSystemMode
    }

    /// The absolute path in a variable, without a final slash; nil for any other value (XDG specification).
    package func path(_ name: String) -> String? { Self.path(variable(name)) }

    /// The absolute path in a variable of ours; nil where the variable is not set.
    ///
    /// An empty value is refused as well: a script whose own variable is empty sets it, and does not mean the user's
    /// keychain.
    ///
    /// - Throws: `errSecNotAvailable` for any other value.
    func requiredPath(_ name: String) throws(KeychainError) -> String? {
        guard let value = variable(name) else { return nil }
        guard let fault = Self.fault(value) else { return Self.path(value) }
        throw KeychainError(
            .notAvailable, "\(name) \(fault); set it to the absolute path of a folder, or unset it")
    }

    /// Whether nothing may be made outside of this process's folders.
    ///
    /// That is so where `CHATELAINE_HOME` names them, or `HOME` differs from the account's home, as in tests.
    package var isApart: Bool { !isSystemMode() && (variable("CHATELAINE_HOME") != nil || !isHomeOfAccount()) }

    /// Whether this process's data lies somewhere else than the other programs of its session have theirs.
    ///
    /// `CHATELAINE_HOME` is no such case, since it also names a runtime folder.
    package var isElsewhere: Bool {
        guard !isSystemMode(), variable("CHATELAINE_HOME") == nil else { return false }
        let usual = home + "/.local/share"
        return (path("XDG_DATA_HOME") ?? usual) != usual || !isHomeOfAccount()
    }

    /// Refuses a path that lost bytes when it became text.
    ///
    /// - Throws: `errSecNotAvailable`.
    func requireUTF8(_ path: String?, _ name: String) throws(KeychainError) {
        guard let path, Self.hasLostBytes(path) else { return }
        throw KeychainError(
            .notAvailable,
            "\(name) is not UTF-8, and would be taken for another folder; name one by CHATELAINE_HOME or XDG_DATA_HOME and XDG_STATE_HOME"
        )
    }

    /// Swift replaces bytes that are no UTF-8, and the result would name another folder.
    private static func hasLostBytes(_ value: String) -> Bool { value.unicodeScalars.contains("\u{FFFD}") }

    /// Why a value cannot be a folder's path; nil where it can.
    private static func fault(_ value: String) -> String? {
        if value.isEmpty { return "is set to nothing" }
        if hasLostBytes(value) { return "is not UTF-8" }
        if value.hasPrefix("~") { return "begins with ~, which only a shell replaces" }
        if value.utf8.first != UInt8(ascii: "/") { return "is a relative path" }
        let isTooLong =
            value.utf8.count > Deployment.maximumHomePath
            || value.utf8.split(separator: UInt8(ascii: "/")).contains { $0.count > Int(NAME_MAX) }
        return isTooLong ? "is longer than a path can be" : nil
    }

    private static func path(_ value: String?) -> String? {
        guard var path = value, path.utf8.first == UInt8(ascii: "/") else { return nil }
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    package static var current: ProcessEnvironment {
        let given = path(ownVariable("HOME"))
        var environment = ProcessEnvironment(
            uid: geteuid(), home: given ?? accountHome(), variable: { ownVariable($0) },
            isOwnFolder: { path in
                var status = stat()
                return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
            },
            isSystemMode: {
                var status = stat()
                return lstat(Deployment.systemMarker, &status) == 0 && status.st_uid == 0
            })
        environment.isHomeOfAccount = { given == nil || given == accountHome() }
        environment.strangerAtHome = {
            var status = stat()
            // Only the homes of others that root is given cost a question to the user database.
            guard geteuid() == 0, let given, stat(given, &status) == 0, status.st_uid != 0,
                let account = account(of: status.st_uid), path(account.home) == given
            else { return nil }
            return account.name
        }
        return environment
    }

    /// Whether `CHATELAINE_DEBUG=1` asks this process to say more.
    package static var wantsDebugging: Bool { ownVariable("CHATELAINE_DEBUG") == "1" }

    /// A variable of this process; always nil in a process that runs with privileges from its file.
    private static func ownVariable(_ name: String) -> String? {
        guard chatelaine_is_secure_execution() == 0 else { return nil }
        // SAFETY: getenv gives nil or a string that lives on unless another thread changes the environment, which
        // setenv(3) forbids to programs with threads; it is copied at once.
        return getenv(name).map { String(cString: $0) }
    }

    private static func accountHome() -> String { account(of: geteuid())?.home ?? "/nonexistent" }

    private static func account(of uid: uid_t) -> (name: String, home: String)? {
        // Room for one entry of the user database; sysconf(_SC_GETPW_R_SIZE_MAX) gives 1024 on glibc.
        var buffer = [CChar](repeating: 0, count: 4096)
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        // SAFETY: `entry` points into `buffer`, and both outlive the copies of the strings.
        guard getpwuid_r(uid, &entry, &buffer, buffer.count, &found) == 0, found != nil, let home = entry.pw_dir,
            let name = entry.pw_name
        else { return nil }
        return (String(cString: name), String(cString: home))
    }
}
