import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// A folder of the custodian, held open.
///
/// Files are reached by name from its descriptor, so that a path renamed or linked above it has no effect. Folders have
/// mode 0700 and files 0600, both owned by the account of enclaved. Anything else is refused and never repaired,
/// because somebody else may have been there. The outer folder is locked while it is open: two custodians of one keybag
/// would count its seals separately.
final class StateFolder: Sendable {
    /// The microseconds between two attempts at the lock.
    private static let lockPause: useconds_t = 10_000

    let path: String
    private let descriptor: Descriptor
    private let files: FileCalls

    private init(path: String, descriptor: consuming Descriptor, files: FileCalls) {
        self.path = path
        self.descriptor = descriptor
        self.files = files
    }

    /// Opens and locks the outer folder, and creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - path: absolute; every folder above the last must exist.
    ///   - lockAttempts: the number of attempts at the lock, 10 ms apart, because a predecessor may be about to end.
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

    /// Opens a folder inside this one; nil if there is none and `creating` is false.
    func subfolder(_ name: String, creating: Bool) throws(KeychainError) -> StateFolder? {
        try Self.open("\(path)/\(name)", name: name, in: descriptor.number, files: files, creating: creating)
    }

    private static func open(
        _ path: String, name: String, in parent: Int32, files: FileCalls, creating: Bool
    ) throws(KeychainError) -> StateFolder? {
        guard let descriptor = try openFolder(path, name: name, in: parent, files: files, creating: creating) else {
            return nil
        }
        let folder = StateFolder(path: path, descriptor: descriptor, files: files)
        _ = try folder.check(folder.descriptor.number, path, mode: 0o700) { $0.isFolder }
        return folder
    }

    private static func openFolder(
        _ path: String, name: String, in parent: Int32, files: FileCalls, creating: Bool
    ) throws(KeychainError) -> Descriptor? {
        do throws(Errno) { return try files.open(name, in: parent, .folder) } catch .notFound {
            guard creating else { return nil }
        } catch { throw KeychainError(system: error.code, "opening", path) }
        do throws(Errno) { try files.makeFolder(name, in: parent) } catch .exists {} catch {
            throw KeychainError(system: error.code, "creating", path)
        }
        do throws(Errno) { return try files.open(name, in: parent, .folder) } catch {
            throw KeychainError(system: error.code, "opening", path)
        }
    }

    /// Makes names durable that a failed earlier attempt may have left unsynced, before anything depends on them.
    func settle() throws(KeychainError) {
        do throws(Errno) { try files.synchronize(descriptor.number) } catch {
            throw KeychainError(system: error.code, "syncing", path)
        }
    }

    /// Reads a file; nil if there is none.
    ///
    /// - Parameter limit: in bytes; a longer file is damaged.
    /// - Throws: `errSecNotAvailable`, and `errSecInternalComponent` for a file that is too long.
    func read(_ name: String, limit: Int) throws(KeychainError) -> SecretBytes? {
        let path = "\(path)/\(name)"
        let file: Descriptor
        do throws(Errno) { file = try files.open(name, in: descriptor.number, .read) } catch .notFound {
            return nil
        } catch { throw KeychainError(system: error.code, "opening", path) }
        let number = file.number
        let size = try check(number, path, mode: 0o600) { $0.isRegular }
        guard size <= limit else {
            throw KeychainError(
                cause: .damage, status: .internalComponent,
                "\(path) is damaged: it has \(size) bytes; restore it from a backup")
        }
        var content = SecretBuffer(capacity: limit + 1)
        while content.count <= limit {
            let offset = Int64(content.count)
            var failure: Errno?
            let count = content.append(capacity: limit + 1 - content.count) { buffer in
                do throws(Errno) { return try files.read(number, into: buffer, at: offset) } catch {
                    failure = error
                    return -1
                }
            }
            if let failure { throw KeychainError(system: failure.code, "reading", path) }
            if count == 0 { return content.finish() }
        }
        throw KeychainError(.internalComponent, "\(path) grew while it was read; something else writes to it")
    }

    /// Writes a whole file durably: when the method returns, the file survives a power failure.
    ///
    /// When it throws, the file has the old content or the new content, never a mixture.
    ///
    /// - Parameter isReplacing: whether an existing file of this name is replaced; otherwise it stays, and the call
    ///   fails.
    /// - Throws: `errSecNotAvailable`.
    func write(_ name: String, _ content: SecretBytes, isReplacing: Bool) throws(KeychainError) {
        let failure: FileFailure? = content.withUnsafeBytes { bytes in
            do throws(FileFailure) {
                try files.replace(
                    name, in: descriptor.number, path: path, draft: name + ".new", isReplacing: isReplacing,
                    with: bytes)
                return nil
            } catch { return error }
        }
        guard let failure else { return }
        guard failure.error != .exists else {
            throw KeychainError(.notAvailable, "\(failure.path) exists already and is not overwritten; try again")
        }
        throw KeychainError(system: failure.error.code, failure.action, failure.path)
    }

    /// Checks type, owner and mode of an open file or folder, and returns its size.
    private func check(
        _ file: Int32, _ path: String, mode: mode_t, isRight: (FileStatus) -> Bool
    ) throws(KeychainError) -> Int {
        let status: FileStatus
        do throws(Errno) { status = try files.status(of: file) } catch {
            throw KeychainError(system: error.code, "examining", path)
        }
        guard isRight(status) else { throw KeychainError(system: ENOTDIR, "opening", path) }
        guard status.owner == geteuid() else {
            throw KeychainError(
                .notAvailable,
                "\(path) belongs to user \(status.owner), not to user \(geteuid()) as which enclaved runs")
        }
        // A folder inherits S_ISGID from the folder above (mkdir(2)); on a folder it gives nobody access.
        let harmless: mode_t = status.isFolder ? S_ISGID : 0
        guard status.mode & 0o7777 & ~mode & ~harmless == 0 else {
            let found = String(status.mode & 0o7777, radix: 8)
            throw KeychainError(
                .notAvailable,
                "\(path) has mode 0\(found), so others may have used it; if not, run chmod 0\(String(mode, radix: 8))")
        }
        return Int(status.size)
    }

    private func lock(attempts: Int) throws(KeychainError) {
        for attempt in 1...max(attempts, 1) {
            do throws(Errno) { return try files.lock(descriptor.number) } catch .wouldBlock {
                if attempt < attempts { usleep(Self.lockPause) }
            } catch { throw KeychainError(system: error.code, "locking", path) }
        }
        throw KeychainError(.notAvailable, "another enclaved uses \(path); end it and try again")
    }

    private func settleParent() throws(KeychainError) {
        let parent: Descriptor
        // The custodian cannot have written to a folder that it may not read, so there is nothing to sync.
        do throws(Errno) { parent = try files.open("..", in: descriptor.number, .folderThrough) } catch .noAccess {
            return
        } catch { throw KeychainError(system: error.code, "opening the folder above", path) }
        do throws(Errno) { try files.synchronize(parent.number) } catch {
            throw KeychainError(system: error.code, "syncing the folder above", path)
        }
    }
}
