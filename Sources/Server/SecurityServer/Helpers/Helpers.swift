import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// The processes beside securityd that do what its sandbox forbids.
struct Helpers: Sendable {
    let spawner: Spawner
    let procReader: DelegatedProcReader
    let events: SystemEvents
    let matcher: FingerprintMatcher
    let dialogs: ProcessStarter
    let trust: ProcessStarter
    /// Verifies signatures and certificates, by workers of the process that ``trust`` starts.
    let signatures: TrustWorkers
    let format: ProcessStarter
    /// Reads and writes files of keys and certificates, by workers of the process that ``format`` starts.
    let formats: FormatWorkers
    let fetch: ProcessStarter
    /// Asks servers that certificates name, by processes that ``fetch`` starts.
    let fetches: FetchWorkers

    /// Forks the helpers.
    ///
    /// Call it while there is one thread, and before anything is open that they must not have.
    ///
    /// - Parameters:
    ///   - session: variables of the display and the language, for dialogs.
    ///   - pinentry: the program that shows the dialogs.
    init(_ deployment: Deployment, session: [String], pinentry: String) throws(KeychainError) {
        // The check needs a new process, so it runs while processes can be made.
        _ = MemoryTable.answersAtOnce
        let named = ProcessEnvironment.current.path("CHATELAINE_LIBEXEC")
        let folder = named ?? ProgramFolder.ofThisProcess
        // This link joins the next two helpers, and is closed here at once. securityd takes no part in what goes over
        // it.
        let link: SocketPair
        do throws(Errno) { link = try SocketPair() } catch { throw KeychainError(system: error.code, "a socket pair") }
        matcher = try FingerprintMatcher(spawner: link.ours.number)
        spawner = try Spawner(
            program: folder + "/enclaved", keyWorker: folder + "/keyd", stateFolder: deployment.enclaveFolder,
            matcher: link.theirs.number)
        procReader = try DelegatedProcReader()
        events = try SystemEvents()
        // The folders of an X server's key and of the sockets of Wayland.
        let places = ["HOME", "XDG_RUNTIME_DIR"].compactMap { name in
            ProcessEnvironment.current.variable(name).map { "\(name)=\($0)" }
        }
        dialogs = try .dialogs(
            program: folder + "/security-agent", pinentry: pinentry, session: session + places)
        trust = try .trust(program: folder + "/trustd")
        signatures = TrustWorkers(
            ForkServerSupervisor(trust, of: "trustd, which looks at certificates and signatures"))
        format = try .format(program: folder + "/formatd")
        formats = FormatWorkers(
            ForkServerSupervisor(format, of: "formatd, which reads and writes files of keys"))
        fetch = try .fetch(program: folder + "/fetchd")
        fetches = FetchWorkers(fetch)
        try matcher.waitUntilShutIn()
    }

    var areConfined: Bool {
        spawner.isConfined && procReader.isConfined && events.isConfined && matcher.isConfined && dialogs.isConfined
            && trust.isConfined && format.isConfined && fetch.isConfined
    }

    /// Sets `body` to run when one of the helpers is gone.
    func watch(_ body: @escaping @Sendable () -> Void) {
        spawner.watch(body)
        procReader.watch(body)
        events.watch(body)
        matcher.watch(body)
        dialogs.watch(body)
        trust.watch(body)
        format.watch(body)
        fetch.watch(body)
    }
}

/// The folder of the running executable.
enum ProgramFolder {
    /// The path without a final slash; `/` where `/proc` does not show it.
    static let ofThisProcess = RealPath.folderOfThisProgram ?? "/"
}
