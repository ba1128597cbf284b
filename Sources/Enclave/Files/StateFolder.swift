import ChatelaineMemory
import ChatelaineModel
import Glibc

/// A folder of the custodian's, held open: files are reached by name from its descriptor, so that a renamed or linked
/// path above it leads nowhere.
///
/// Folders have mode 0700 and files 0600, both owned by the account that enclaved runs as; anything else is refused,
/// never mended, because somebody else may have been there. The outer folder is locked for as long as it is open: two
/// custodians of one keybag would count its seals apart.
final class StateFolder: Sendable {
    /// A signal may interrupt a call this often before it counts as a failure.
    private static let maximumInterruptions = 1000
    /// Pause between two attempts at the lock, in microseconds.
    private static let lockPause: useconds_t = 10_000

    let path: String
    private let descriptor: Int32
    private let files: FileCalls

    private init(path: String, descriptor: Int32, files: FileCalls) {
        self.path = path
        self.descriptor = descriptor
        self.files = files
    }

    deinit { _ = files.close(descriptor) }

    /// Opens and locks the outer folder, and creates it where there is none.
    ///
    /// - Parameters:
    ///   - path: absolute; every folder above the last must exist.
    ///   - lockAttempts: how often the lock is tried, 10 ms apart: a predecessor may be about to end.
    /// - Throws: `errSecNotAvailable`.
    static func open(_ path: String, files: FileCalls, lockAttempts: Int) throws(KeychainError) -> StateFolder {
        guard path.hasPrefix("/") else {
            throw KeychainError(.notAvailable, "the state folder \(path) is no absolute path; give one")
        }
        let folder = try open(path, name: path, in: AT_FDCWD, files: files, creating: true)
        guard let folder else { throw KeychainError(system: ENOENT, "opening", path) }
        try folder.lock(attempts: lockAttempts)
        try folder.settleParent()
        return folder
    }

    /// A folder inside this one; nil where there is none and none is to be created.
    func subfolder(_ name: String, creating: Bool) throws(KeychainError) -> StateFolder? {
        try Self.open("\(path)/\(name)", name: name, in: descriptor, files: files, creating: creating)
    }

    private static func open(
        _ path: String, name: String, in parent: Int32, files: FileCalls, creating: Bool
    ) throws(KeychainError) -> StateFolder? {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        var descriptor = retrying { files.open(parent, name, flags, 0) }
        if descriptor == -ENOENT {
            guard creating else { return nil }
            let made = retrying { files.makeFolder(parent, name, 0o700) }
            guard made == 0 || made == -EEXIST else { throw KeychainError(system: -made, "creating", path) }
            descriptor = retrying { files.open(parent, name, flags, 0) }
        }
        guard descriptor >= 0 else { throw KeychainError(system: -descriptor, "opening", path) }
        let folder = StateFolder(path: path, descriptor: descriptor, files: files)
        _ = try folder.check(descriptor, path, type: S_IFDIR, mode: 0o700)
        return folder
    }

    /// Makes names durable that an earlier, failed attempt may have left unsynced; before anything is built on them.
    func settle() throws(KeychainError) {
        let synced = Self.retrying { files.sync(descriptor) }
        guard synced == 0 else { throw KeychainError(system: -synced, "syncing", path) }
    }

    /// The content of a file, or nil where there is none.
    ///
    /// - Parameter limit: in bytes; a longer file is damaged.
    /// - Throws: `errSecNotAvailable`, and `errSecInternalComponent` for a file that is too long.
    func read(_ name: String, limit: Int) throws(KeychainError) -> SecretBytes? {
        let path = "\(path)/\(name)"
        // O_NONBLOCK: a pipe in the file's place must not hold the custodian up.
        let file = Self.retrying { files.open(descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0) }
        guard file != -ENOENT else { return nil }
        guard file >= 0 else { throw KeychainError(system: -file, "opening", path) }
        defer { _ = files.close(file) }
        let size = try check(file, path, type: S_IFREG, mode: 0o600)
        guard size <= limit else {
            throw KeychainError(
                .internalComponent, "\(path) is damaged: it has \(size) bytes; restore it from a backup")
        }
        var content = SecretBuffer(capacity: limit + 1)
        while content.count <= limit {
            let room = limit + 1 - content.count
            let count = content.append(capacity: room) { buffer in
                Self.retrying { files.read(file, buffer) }
            }
            if count == 0 { return content.finish() }
            guard count > 0 else { throw KeychainError(system: Int32(clamping: -count), "reading", path) }
        }
        throw KeychainError(.internalComponent, "\(path) grew while it was read; something else writes to it")
    }

    /// Writes a file whole and durably: when this returns it survives a power failure, and when it throws, what was
    /// there before is still there or the new content is, never a mixture.
    ///
    /// - Parameter isReplacing: whether a file of this name may be there; otherwise one that is stays.
    /// - Throws: `errSecNotAvailable`.
    func write(_ name: String, _ content: SecretBytes, isReplacing: Bool) throws(KeychainError) {
        let draft = name + ".new"
        // A draft of an interrupted write was never acknowledged to anybody.
        let removed = Self.retrying { files.remove(descriptor, draft) }
        guard removed == 0 || removed == -ENOENT else {
            throw KeychainError(system: -removed, "removing", "\(path)/\(draft)")
        }
        do throws(KeychainError) {
            try writeDraft(draft, content)
            if !isReplacing { try checkAbsence(of: name) }
            let renamed = Self.retrying { files.rename(descriptor, draft, name) }
            guard renamed == 0 else {
                throw KeychainError(system: -renamed, "renaming a draft to", "\(path)/\(name)")
            }
        } catch {
            _ = files.remove(descriptor, draft)
            throw error
        }
        try settle()
    }

    private func writeDraft(_ draft: String, _ content: SecretBytes) throws(KeychainError) {
        let path = "\(path)/\(draft)"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = Self.retrying { files.open(descriptor, draft, flags, 0o600) }
        guard file >= 0 else { throw KeychainError(system: -file, "creating", path) }
        let failure: Int32 = content.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                let count = Self.retrying { files.write(file, rest) }
                // A file that takes nothing and gives no reason would be tried for ever.
                guard count > 0 else { return count == 0 ? EIO : Int32(clamping: -count) }
                written += count
            }
            return -Self.retrying { files.sync(file) }
        }
        let closed = files.close(file)
        guard failure == 0 else { throw KeychainError(system: failure, "writing", path) }
        // Linux releases the descriptor even where close reports an interruption.
        guard closed == 0 || closed == -EINTR else { throw KeychainError(system: -closed, "closing", path) }
    }

    private func checkAbsence(of name: String) throws(KeychainError) {
        let file = Self.retrying { files.open(descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0) }
        guard file != -ENOENT else { return }
        guard file >= 0 else { throw KeychainError(system: -file, "looking for", "\(path)/\(name)") }
        _ = files.close(file)
        throw KeychainError(.notAvailable, "\(path)/\(name) exists already and is not overwritten; try again")
    }

    /// The size of an open file or folder that has the right type, owner and mode.
    private func check(_ file: Int32, _ path: String, type: mode_t, mode: mode_t) throws(KeychainError) -> Int {
        var status = stat()
        let result = Self.retrying { files.status(file, &status) }
        guard result == 0 else { throw KeychainError(system: -result, "examining", path) }
        guard status.st_mode & S_IFMT == type else { throw KeychainError(system: ENOTDIR, "opening", path) }
        guard status.st_uid == geteuid() else {
            throw KeychainError(
                .notAvailable,
                "\(path) belongs to user \(status.st_uid), not to user \(geteuid()) as which enclaved runs")
        }
        guard status.st_mode & 0o7777 & ~mode == 0 else {
            let found = String(status.st_mode & 0o7777, radix: 8)
            throw KeychainError(
                .notAvailable,
                "\(path) has mode 0\(found), so others may have used it; if not, run chmod 0\(String(mode, radix: 8))")
        }
        return Int(status.st_size)
    }

    private func lock(attempts: Int) throws(KeychainError) {
        for attempt in 1...max(attempts, 1) {
            let locked = Self.retrying { files.lock(descriptor) }
            if locked == 0 { return }
            guard locked == -EWOULDBLOCK else { throw KeychainError(system: -locked, "locking", path) }
            if attempt < attempts { usleep(Self.lockPause) }
        }
        throw KeychainError(.notAvailable, "another enclaved uses \(path); end it and try again")
    }

    private func settleParent() throws(KeychainError) {
        let parent = Self.retrying { files.open(descriptor, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
        // A folder that may be passed through but not read was not written to by us either.
        guard parent != -EACCES else { return }
        guard parent >= 0 else { throw KeychainError(system: -parent, "opening the folder above", path) }
        let synced = Self.retrying { files.sync(parent) }
        _ = files.close(parent)
        guard synced == 0 else { throw KeychainError(system: -synced, "syncing the folder above", path) }
    }

    /// The first answer that is not an interruption.
    private static func retrying<Answer: SignedInteger>(_ call: () -> Answer) -> Answer {
        for _ in 1..<maximumInterruptions {
            let answer = call()
            if answer != Answer(-EINTR) { return answer }
        }
        return call()
    }
}
