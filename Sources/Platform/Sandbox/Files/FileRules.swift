import CChatelaine
import Glibc

/// Which files a process may open in which way; Landlock denies all others (landlock(7)).
///
/// Landlock checks opening, making, naming and removing. It does not check descriptors that are open already. Nor does
/// it check reading of status or changes of modes and owners; the system call filter covers these.
struct FileRules: Sendable {
    struct Place: Sendable {
        let path: String
        let rights: FileRight
    }

    /// The places that the process may use. Landlock identifies a folder by its inode, so a folder that replaces it is
    /// not allowed.
    let places: [Place]
    /// The rights that the rules govern; others are not restricted.
    let governed: FileRight
    /// Whether the process may connect to others' sockets in the abstract namespace.
    let reachesAbstractSockets: Bool
    /// Whether the process may connect by TCP; it may never listen.
    let reachesNetwork: Bool

    init(
        _ places: [Place], governed: FileRight = .known(to: .max), reachesAbstractSockets: Bool = false,
        reachesNetwork: Bool = false
    ) {
        self.reachesNetwork = reachesNetwork
        self.places = places
        self.governed = governed
        self.reachesAbstractSockets = reachesAbstractSockets
    }

    /// `LANDLOCK_ACCESS_NET_BIND_TCP` and `LANDLOCK_ACCESS_NET_CONNECT_TCP`; version 4.
    private static let binding: UInt64 = 0b01
    private static let connecting: UInt64 = 0b10
    /// `LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET` and `LANDLOCK_SCOPE_SIGNAL`; version 6.
    private static let abstractSockets: UInt64 = 0b01
    private static let signals: UInt64 = 0b10

    /// Applies the rules to this thread, and to those that it starts; call it while there is one thread.
    ///
    /// A place that is missing, or is a link where the process would write, is left out, so that it stays denied.
    func apply() -> SandboxState {
        let name = SandboxMeasure.files.rawValue
        let version = chatelaine_landlock_version()
        guard version > 0 else {
            return SandboxState(name, .impossible, "the kernel has no Landlock, or does not switch it on")
        }
        guard chatelaine_thread_count() == 1 else { return SandboxState(name, .off, "other threads run already") }
        let handled = governed.intersection(.known(to: version))
        let scopes = version < 6 ? 0 : Self.signals | (reachesAbstractSockets ? 0 : Self.abstractSockets)
        let network = version < 4 ? 0 : Self.binding | (reachesNetwork ? 0 : Self.connecting)
        let ruleset = chatelaine_landlock_ruleset(handled.rawValue, network, scopes)
        guard ruleset >= 0 else { return .failure(.files, "making rules", errno) }
        defer { close(ruleset) }
        for place in places {
            guard let state = allow(place, handled, ruleset) else { continue }
            return state
        }
        guard chatelaine_landlock_restrict(ruleset) == 0 else { return .failure(.files, "applying the rules", errno) }
        return SandboxState(name, .on, "version \(version)")
    }

    private func allow(_ place: Place, _ handled: FileRight, _ ruleset: Int32) -> SandboxState? {
        // A place to write to is ours and never a link, which could lead anywhere that its maker likes.
        let file = chatelaine_open_path(AT_FDCWD, place.path, place.rights.contains(.writeFile) ? 0 : 1)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT != S_IFLNK else { return nil }
        var rights = place.rights.intersection(handled)
        if status.st_mode & S_IFMT != S_IFDIR { rights.formIntersection(.ofFiles) }
        guard !rights.isEmpty, chatelaine_landlock_allow(ruleset, file, rights.rawValue) != 0 else { return nil }
        return .failure(.files, "allowing \(place.path)", errno)
    }
}
