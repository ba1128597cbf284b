import CChatelaine
import Glibc

/// What a deployment depends on, so that tests can say it.
public struct ProcessEnvironment: Sendable {
    public var uid: UInt32
    /// Home of the account, or what `HOME` says.
    public var home: String
    /// An environment variable that counts here.
    public var variable: @Sendable (String) -> String?
    public var isFolder: @Sendable (String) -> Bool
    public var isSystemMode: @Sendable () -> Bool

    public init(
        uid: UInt32, home: String, variable: @escaping @Sendable (String) -> String?,
        isFolder: @escaping @Sendable (String) -> Bool, isSystemMode: @escaping @Sendable () -> Bool
    ) {
        self.uid = uid
        self.home = home
        self.variable = variable
        self.isFolder = isFolder
        self.isSystemMode = isSystemMode
    }

    /// The absolute path in a variable, without a final slash; anything else does not count (XDG specification).
    public func path(_ name: String) -> String? { Self.path(variable(name)) }

    private static func path(_ value: String?) -> String? {
        guard var path = value, path.hasPrefix("/") else { return nil }
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    public static var current: ProcessEnvironment {
        let isSecure = chatelaine_is_secure_execution() != 0
        let accountHome = Self.accountHome()
        let variable: @Sendable (String) -> String? = { name in
            guard !isSecure else { return nil }
            // SAFETY: getenv gives nil or a string that lives on unless another thread changes the environment,
            // which setenv(3) forbids to programs with threads; it is copied at once.
            return getenv(name).map { String(cString: $0) }
        }
        return ProcessEnvironment(
            uid: geteuid(), home: path(variable("HOME")) ?? accountHome, variable: variable,
            isFolder: { path in
                var status = stat()
                return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            },
            isSystemMode: {
                var status = stat()
                return lstat(Deployment.systemMarker, &status) == 0 && status.st_uid == 0
            })
    }

    private static func accountHome() -> String {
        // Room for one entry of the user database; sysconf(_SC_GETPW_R_SIZE_MAX) gives 1024 on glibc.
        var buffer = [CChar](repeating: 0, count: 4096)
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        // SAFETY: `entry` points into `buffer`, and both outlive the copy of the string.
        guard getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil,
            let home = entry.pw_dir
        else { return "/nonexistent" }
        return String(cString: home)
    }
}
