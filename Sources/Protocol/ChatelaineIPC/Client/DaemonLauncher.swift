import CChatelaine
import ChatelaineModel
import Glibc

/// Starts securityd where none answers and the deployment wants it started on first use.
///
/// Where systemd listens on the socket, connecting is starting, and nothing here is reached. One client at a time starts
/// a daemon, under a lock in the runtime folder; the others find it running.
struct DaemonLauncher {
    /// What a daemon needs to find its folders, how much it is to log, and nothing that could steer it otherwise
    /// (behaviour/deployment.md, 10).
    private static let passedVariables = [
        "HOME", "CHATELAINE_HOME", "CHATELAINE_LIBEXEC", "CHATELAINE_DEBUG", "XDG_DATA_HOME", "XDG_STATE_HOME",
        "XDG_RUNTIME_DIR",
    ]

    let deployment: Deployment
    let environment: ProcessEnvironment
    var lockMilliseconds = ClientLimits.lockMilliseconds

    /// Starts a daemon, unless `isAnswering` says that one came up meanwhile; returns when it listens.
    func start(unless isAnswering: () -> Bool) throws(KeychainError) {
        guard deployment.mode == .user else {
            throw KeychainError(
                .notAvailable,
                "securityd does not answer at \(deployment.socketPath); this system runs one for all users: start it there"
            )
        }
        guard !UserNamespace.isForeign else {
            throw KeychainError(
                .notAvailable, "no securityd is started from within a user namespace; start one outside it")
        }
        let program = try locate()
        try RuntimeFolder(deployment.runtimeFolder).prepare()
        guard let lock = try takeLock(unless: isAnswering) else { return }
        defer { close(lock) }
        for _ in 1..<ClientLimits.starts {
            if isAnswering() { return }
            let status = try spawn(program)
            if status == 0 { return }
            guard Self.hasDiedEarly(status) else { throw failure(program) }
        }
        guard try spawn(program) == 0 else { throw failure(program) }
    }

    /// The lock of whoever starts a daemon, or nil where one answers meanwhile.
    ///
    /// Any program of the user can hold it for good, which must be an error and no wait without end.
    private func takeLock(unless isAnswering: () -> Bool) throws(KeychainError) -> Int32? {
        let path = deployment.runtimeFolder + "/launch.lock"
        let lock = chatelaine_above_standard(
            open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600))
        guard lock >= 0 else { throw KeychainError(system: errno, path) }
        var waited = 0
        while flock(lock, LOCK_EX | LOCK_NB) != 0 {
            let error = errno
            guard error == EWOULDBLOCK || error == EINTR, waited < lockMilliseconds else {
                close(lock)
                guard error == EWOULDBLOCK else { throw KeychainError(system: error, path) }
                throw KeychainError(
                    .notAvailable,
                    "no securityd answers, and another process has held \(path) for \(lockMilliseconds / 1000) s without "
                        + "starting one; `fuser \(path)` shows it")
            }
            if isAnswering() {
                close(lock)
                return nil
            }
            poll(nil, 0, ClientLimits.retryMilliseconds)
            waited += Int(ClientLimits.retryMilliseconds)
        }
        return lock
    }

    private func failure(_ program: String) -> KeychainError {
        // What it cannot use, we mostly see as well, and the log may be in that very folder.
        let folders = [deployment.dataFolder, deployment.stateFolder, deployment.runtimeFolder]
        if let fault = folders.lazy.compactMap(RuntimeFolder.fault).first { return fault }
        return KeychainError(
            .notAvailable,
            "\(program) did not start; its log (journal, or securityd.log in \(deployment.stateFolder)) says why")
    }

    /// Whether the daemon, or the process that waited for it, was killed or crashed before it could say anything.
    private static func hasDiedEarly(_ status: Int32) -> Bool {
        // What WIFSIGNALED and WEXITSTATUS do, which Swift does not import.
        status & 0x7F != 0 || status >> 8 & 0xFF == CHATELAINE_DIED_EARLY
    }

    /// Starts the daemon; answers the status that waitpid(2) gives once it listens, or does not.
    private func spawn(_ program: String) throws(KeychainError) -> Int32 {
        let variables =
            // The last one spares the daemon a second start.
            [
                "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8",
                "\(CHATELAINE_ALLOCATOR_VARIABLE)=\(CHATELAINE_ALLOCATOR_SETTINGS)",
            ]
            + Self.passedVariables.compactMap { name in environment.variable(name).map { "\(name)=\($0)" } }
        let words: [String] = [program, "--background"]
        var arguments = words.map { (word: String) in strdup(word) } + [nil]
        var settings = variables.map { (variable: String) in strdup(variable) } + [nil]
        defer { for string in arguments + settings { free(string) } }
        // SAFETY: both arrays hold C strings that live until the call is over, and end in nil.
        let pid = chatelaine_spawn_detached(program, &arguments, &settings)
        guard pid > 0 else {
            throw KeychainError(system: errno, "\(program) cannot be started")
        }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 {
            // A program that waits for all its children got the status first; whether the daemon answers tells then.
            guard errno == EINTR else { return 0 }
        }
        return status
    }

    /// The daemon's path: `CHATELAINE_LIBEXEC`, the folder of this executable, then `../libexec/chatelaine` from the library
    /// that holds this code, or from the executable that does.
    ///
    /// A program that runs with more rights than its user believes the loader alone: the user chooses its environment, its
    /// arguments, and by a hard link even its path.
    private func locate() throws(KeychainError) -> String {
        var folders: [String] = []
        let library = Self.library()
        if chatelaine_is_secure_execution() == 0 {
            if let folder = environment.path("CHATELAINE_LIBEXEC") { folders.append(folder) }
            if let executable = Self.link("/proc/self/exe") {
                folders.append(Self.folder(of: executable))
                if library == nil { folders.append(Self.installed(beside: executable)) }
            }
        }
        if let library { folders.append(Self.installed(beside: library)) }
        guard !folders.isEmpty else {
            throw KeychainError(
                .notAvailable,
                "a program that runs with more rights than its user starts no daemon from its own folder: start securityd first"
            )
        }
        let candidates = folders.map { $0 + "/securityd" }
        guard let program = candidates.first(where: { access($0, X_OK) == 0 }) else {
            throw KeychainError(
                .notAvailable, "securityd is not installed: looked for \(candidates.joined(separator: ", "))")
        }
        return program
    }

    private static func folder(of path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
    }

    private static func link(_ path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        // SAFETY: readlink writes at most `count` bytes and tells how many.
        let count = buffer.withUnsafeMutableBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { readlink(path, $0.baseAddress.unsafelyUnwrapped, $0.count) }
        }
        return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
    }

    private static func installed(beside file: String) -> String {
        folder(of: folder(of: file)) + "/libexec/chatelaine"
    }

    private static func library() -> String? {
        // SAFETY: the string lives as long as the code it names.
        guard let name = chatelaine_code_path() else { return nil }
        return realpath(name, nil).map { resolved in
            defer { free(resolved) }
            return String(cString: resolved)
        }
    }
}
