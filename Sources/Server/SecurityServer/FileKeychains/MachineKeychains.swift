import CChatelaine
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import FileKeychains
import Glibc
import Sealing
import StoreEngine

/// The folders of the machine's keychains, and the key file that opens them.
///
/// Root's securityd works on them in a folder that only root can read, and puts a copy of each where everybody can read
/// it. The daemons of other users read these copies.
final class MachineKeychains: Sendable {
    /// The name of the system keychain, which is made at first need.
    static let systemKeychain = "System.keychain-db"
    private static let base = "/var/lib/chatelaine"

    private let base: String
    /// Whether this daemon serves the machine's keychains.
    let isServed: Bool
    private let places: FileKeychainPlaces
    private let files: FileCalls
    /// Whether this daemon has the home of root's account.
    let makesBase: Bool
    /// The lock of the one daemon that works on these keychains, held until the daemon ends.
    private let claim = AdaptiveMutex<Int32?>(nil)

    /// The folder of published keychains.
    var folder: String { base + "/keychains" }
    /// The folder that only root can read.
    private var secluded: String { base + "/private" }
    var key: MachineKey { MachineKey(path: secluded + "/system-key") }

    /// Makes the paths; nothing on disk is touched yet.
    ///
    /// - Parameters:
    ///   - base: the folder that holds everything.
    ///   - marks: the folder of the marks; nil for one below `base`.
    ///   - makesBase: whether the base folder is made where it is missing.
    init(
        _ base: String, marks: String? = nil, isServed: Bool = true, makesBase: Bool = false,
        files: FileCalls = .system
    ) {
        self.base = base
        self.files = files
        self.makesBase = makesBase
        self.isServed = isServed
        places = FileKeychainPlaces(stores: base + "/private/open", marks: marks ?? base + "/private/marks")
    }

    /// The keychains of this machine, for the daemon of a user.
    convenience init(_ deployment: Deployment, _ user: uid_t, makesBase: Bool) {
        self.init(
            Self.base, marks: deployment.keychainMarksFolder, isServed: user == 0 && deployment.mode == .user,
            makesBase: makesBase)
    }

    /// The file that this daemon works on; nil for keychains that it does not serve.
    func served(_ path: KeychainPath) -> (file: String, places: FileKeychainPlaces)? {
        guard path.place == .machine, isServed, let name = path.text.split(separator: "/").last else { return nil }
        return ("\(secluded)/\(name)", places)
    }

    /// The keychains with unacknowledged losses, by the paths at which others read them.
    func keychainsWithLosses() throws(KeychainError) -> [(keychain: StoreIdentifier, path: String)] {
        guard isServed else { return [] }
        return try places.keychainsWithLosses().compactMap { keychain, path in
            path.split(separator: "/").last.map { (keychain, "\(folder)/\($0)") }
        }
    }

    /// The published path of a keychain that this daemon serves, from where it was last open; nil for any other
    /// keychain.
    func lastPath(of keychain: StoreIdentifier) throws(KeychainError) -> String? {
        guard isServed, let file = try places.lastPath(of: keychain), file.hasPrefix(secluded + "/") else { return nil }
        return folder + file.dropFirst(secluded.count)
    }

    /// Makes missing folders, and returns those that this daemon writes to.
    ///
    /// Called before the daemon enters its sandbox.
    func makeFolders() -> [String] {
        guard isServed else { return [] }
        if makesBase { make(base, isPublic: true) }
        guard RuntimeFolder(base).isUnshared else { return [] }
        make(folder, isPublic: true)
        make(secluded, isPublic: false)
        return [folder, secluded].filter { RuntimeFolder($0).isUnshared }
    }

    /// Makes a folder; an existing folder keeps its permissions.
    private func make(_ folder: String, isPublic: Bool) {
        do throws(Errno) {
            try files.makeFolder(folder, in: AT_FDCWD)
            guard isPublic else { return }
            let made = try files.open(folder, in: AT_FDCWD, .folder)
            try files.setPermissions(of: made.number, 0o755)
        } catch {
            // `prepare()` says what is wrong with a folder, to whoever needs it.
        }
    }

    /// Makes sure that only root can change the folders, and that no other daemon works in them.
    func prepare() throws(KeychainError) {
        for folder in [base, folder, secluded] where !RuntimeFolder(folder).isUnshared {
            throw KeychainError(
                .notAvailable,
                "\(folder) must be a folder of root\u{2019}s that nobody else can write to; mend it, or make \(base) with "
                    + "\u{201C}install -d -m 755\u{201D}, and start securityd again")
        }
        try RuntimeFolder(secluded).prepare()
        let lock = secluded + "/lock"
        try claim.withLock { (claim) throws(KeychainError) in
            guard claim == nil else { return }
            let file: Descriptor?
            do throws(Errno) { file = try files.lock(at: lock) } catch {
                throw KeychainError(system: error.code, lock)
            }
            guard let file else {
                throw KeychainError(
                    .notAvailable,
                    "another securityd of root\u{2019}s has the machine\u{2019}s keychains; end that first")
            }
            claim = file.release()
        }
    }

    /// Restores a missing keychain from its published copy.
    ///
    /// Returns whether there is a keychain.
    func restore(_ path: KeychainPath) throws(KeychainError) -> Bool {
        guard let served = served(path) else { return false }
        return try FileKeychain.restore(served.file, from: path.text)
    }

    /// Makes a missing key file, but never beside an existing keychain, which a new key would not open.
    func prepareKey() throws(KeychainError) {
        try key.prepare { () throws(KeychainError) in
            for folder in [folder, secluded] {
                if let name = try StoreFolder.names(in: folder).first(where: { $0.hasSuffix(KeychainFolders.ending) }) {
                    throw key.missing(besides: "\(folder)/\(name)")
                }
            }
        }
    }

    /// Removes the published copy of a keychain that is being deleted.
    func withdraw(_ path: KeychainPath) throws(KeychainError) {
        guard let served = served(path) else { return }
        try prepare()
        try PublishedRecord(of: served.file).remove()
        try StoreFolder.removeAll(path.text)
        try StoreFolder.sync(folder)
    }

    deinit { if let file = claim.withLock({ $0 }) { close(file) } }
}

/// The key file, which opens the machine's keychains like a password.
///
/// It is passed on unread. Only the daemon that makes it has its bytes, while it makes it.
package struct MachineKey: Sendable {
    package static let byteCount = 32

    let path: String

    package init(path: String) { self.path = path }

    /// Makes the key file where it is missing.
    ///
    /// - Parameter mayBeMade: throws where the file must not be made.
    package func prepare(
        _ files: FileCalls = .system, mayBeMade: () throws(KeychainError) -> Void = {}
    ) throws(KeychainError) {
        // The process that made the file may have ended, or failed, before its name was on disk.
        if try StoreFolder.exists(path) { return try StoreFolder.sync(StoreFolder.parent(of: path)) }
        try mayBeMade()
        try make(files)
    }

    /// Makes the key file.
    ///
    /// On return it is on disk, whole or not at all.
    func make(_ files: FileCalls = .system) throws(KeychainError) {
        let folder = StoreFolder.parent(of: path)
        let name = String(path.dropFirst(folder.count + 1))
        let key = KeyDerivation.randomKey()
        do throws(FileFailure) {
            let directory: Descriptor
            do throws(Errno) { directory = try files.open(folder, in: AT_FDCWD, .folder) } catch {
                throw FileFailure(error, "opening", folder)
            }
            let number = directory.number
            // SAFETY: the bytes are read only, while they are there.
            try key.withUnsafeBytes { bytes in
                Result { () throws(FileFailure) in
                    try files.replace(
                        name, in: number, path: folder, draft: name + ".new", isReplacing: false, with: bytes)
                }
            }.get()
        } catch { throw KeychainError(system: error.error.code, error.action, error.path) }
    }

    /// Checks the key file, and runs `body` with a pipe that holds its content.
    ///
    /// The kernel copies it past this process.
    func withFile<Answer>(_ body: (Int32) throws(KeychainError) -> Answer) throws(KeychainError) -> Answer {
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard number >= 0 else {
            if errno == ENOENT { throw missing(besides: "the keychain") }
            throw errno == ELOOP ? unfit("is a symbolic link") : KeychainError(system: errno, path)
        }
        let file = Descriptor(number)
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw KeychainError(system: errno, path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw unfit("is no plain file") }
        guard status.st_nlink == 1 else { throw unfit("has more than one name") }
        guard status.st_uid == geteuid(), status.st_mode & 0o7777 == 0o600 else {
            throw unfit("is not root\u{2019}s alone, with mode 600")
        }
        guard status.st_size == Self.byteCount else { throw unfit("has another size than \(Self.byteCount) bytes") }
        var ends: [Int32] = [-1, -1]
        guard chatelaine_pipe(&ends) == 0 else { throw KeychainError(system: errno, path) }
        let reading = Descriptor(ends[0])
        let count = chatelaine_splice(file.number, ends[1], Self.byteCount)
        let error = errno
        // The reader then reaches the end of the pipe.
        close(ends[1])
        guard count == Self.byteCount else {
            throw count < 0 ? KeychainError(system: error, path) : unfit("was changed meanwhile")
        }
        return try body(reading.number)
    }

    func missing(besides keychain: String) -> KeychainError {
        KeychainError(
            .notAvailable, "\(path) is missing, which alone opens \(keychain); nothing was changed. Put it back")
    }

    var isOfAnother: KeychainError {
        KeychainError(
            .notAvailable,
            "\(path) does not open the keychain; nothing was changed. Put the one back that belongs to it")
    }

    private func unfit(_ what: String) -> KeychainError {
        KeychainError(.notAvailable, "\(path) does not count, since it \(what); nothing was changed. Put it right")
    }
}
