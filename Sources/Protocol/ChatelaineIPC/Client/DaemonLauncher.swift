import CChatelaine
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// Starts securityd where none answers and the deployment wants it started on first use.
///
/// Where systemd listens on the socket, connecting starts the daemon, and this code is not reached. One client at a
/// time starts a daemon, under a lock in the runtime folder; the other clients find the daemon running.
struct DaemonLauncher {
    /// The variables that a daemon gets: they say where its folders are and how much it logs. No variable that could
    /// steer the daemon otherwise is passed on (behaviour/deployment.md, 10).
    private static let passedVariables = [
        "HOME", "CHATELAINE_HOME", "CHATELAINE_LIBEXEC", "CHATELAINE_DEBUG", "XDG_DATA_HOME", "XDG_STATE_HOME",
        "XDG_RUNTIME_DIR",
        // Where the daemon's dialogs are shown, and in which character set and language.
        "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "LANG", "LC_CTYPE", "LC_MESSAGES",
    ]

    let deployment: Deployment
    let environment: ProcessEnvironment
    var lockMilliseconds = ClientLimits.lockMilliseconds
    var calls = LaunchCalls.system

    /// Starts a daemon and returns when it listens; does nothing where `isAnswering` says that one has come up
    /// meanwhile.
    func start(unless isAnswering: () -> Bool) throws(KeychainError) {
        guard deployment.mode == .user else {
            throw KeychainError(
                .notAvailable,
                "\(Deployment.systemMarker) asks for one securityd for all users, which this version does not have: remove that file"
            )
        }
        guard !UserNamespace.isForeign else {
            throw KeychainError(
                .notAvailable, "no securityd is started from within a user namespace; start one outside it")
        }
        let program = try locate()
        try RuntimeFolder(deployment.runtimeFolder, calls: calls.folders).prepare()
        guard let lock = try takeLock(unless: isAnswering) else { return }
        defer { calls.close(lock) }
        for _ in 1..<ClientLimits.starts {
            if isAnswering() { return }
            let status = try spawn(program)
            if status == 0 { return }
            guard Self.hasDiedEarly(status) else { throw failure(program) }
        }
        guard try spawn(program) == 0 else { throw failure(program) }
    }

    /// Takes the lock for starting a daemon; nil where a daemon answers meanwhile.
    ///
    /// Any program of the user can hold the lock for good, so the wait ends with an error after a time.
    private func takeLock(unless isAnswering: () -> Bool) throws(KeychainError) -> Int32? {
        let path = deployment.runtimeFolder + "/launch.lock"
        do throws(Errno) {
            let lock = try calls.open(path)
            var waited = 0
            while true {
                do throws(Errno) {
                    try calls.flock(lock)
                    return lock
                } catch .wouldBlock where waited < lockMilliseconds {
                } catch .interrupted where waited < lockMilliseconds {
                } catch {
                    calls.close(lock)
                    throw error
                }
                if isAnswering() {
                    calls.close(lock)
                    return nil
                }
                calls.pause(ClientLimits.retryMilliseconds)
                waited += Int(ClientLimits.retryMilliseconds)
            }
        } catch .wouldBlock {
            throw KeychainError(
                .notAvailable,
                "no securityd answers, and another process has held \(path) for \(lockMilliseconds / 1000) s without "
                    + "starting one; `fuser \(path)` shows it")
        } catch {
            throw KeychainError(system: error.code, path)
        }
    }

    private func failure(_ program: String) -> KeychainError {
        // The client mostly sees the same fault in a folder as the daemon, whose log may be in that very folder.
        let folders = [deployment.dataFolder, deployment.stateFolder, deployment.runtimeFolder]
        if let fault = folders.lazy.compactMap({ RuntimeFolder.fault($0, calls: calls.folders) }).first {
            return fault
        }
        if let conflict = StateFolderOwner(deployment).conflict { return conflict }
        return KeychainError(
            .notAvailable,
            "\(program) did not start; its log (journal, or securityd.log in \(deployment.stateFolder)) says why")
    }

    /// Whether the daemon, or the process that waited for it, was killed or crashed before it could say anything.
    private static func hasDiedEarly(_ status: Int32) -> Bool {
        // The macros WIFSIGNALED and WEXITSTATUS, which Swift does not import.
        status & 0x7F != 0 || status >> 8 & 0xFF == CHATELAINE_DIED_EARLY
    }

    /// Starts the daemon; returns the status from waitpid(2) once the daemon listens or has failed.
    private func spawn(_ program: String) throws(KeychainError) -> Int32 {
        let variables =
            // With the allocator's variable set, the daemon need not start itself a second time.
            [
                "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8",
                "\(CHATELAINE_ALLOCATOR_VARIABLE)=\(CHATELAINE_ALLOCATOR_SETTINGS)",
            ]
            + Self.passedVariables.compactMap { name in environment.variable(name).map { "\(name)=\($0)" } }
        do throws(Errno) {
            let pid = try calls.spawn(program, [program, "--background"], variables)
            // In a program that waits for all its children, another thread may get the status first. The start then
            // counts as done, and the next connection shows whether the daemon answers.
            return (try? Errno.uninterrupted { () throws(Errno) in try calls.wait(pid) }) ?? 0
        } catch {
            throw KeychainError(system: error.code, "\(program) cannot be started")
        }
    }

    /// The daemon's path.
    ///
    /// The first places are `CHATELAINE_LIBEXEC` and the folder of this executable. The last is `../libexec/chatelaine`
    /// from the library that holds this code, or from the executable where no library does.
    ///
    /// In a program that runs with more rights than its user, only the path from the loader counts. The user chooses
    /// the program's environment and arguments, and by a hard link even its path.
    private func locate() throws(KeychainError) -> String {
        var folders: [String] = []
        let library = calls.library()
        if !calls.isSecureExecution() {
            if let folder = environment.path("CHATELAINE_LIBEXEC") { folders.append(folder) }
            if let executable = calls.executable() {
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
        guard let program = candidates.first(where: calls.isExecutable) else {
            throw KeychainError(
                .notAvailable, "securityd is not installed: looked for \(candidates.joined(separator: ", "))")
        }
        return program
    }

    private static func folder(of path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
    }

    private static func installed(beside file: String) -> String {
        folder(of: folder(of: file)) + "/libexec/chatelaine"
    }
}
