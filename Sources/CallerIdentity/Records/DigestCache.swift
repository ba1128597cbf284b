import ChatelaineMemory
import Crypto
import Synchronization

/// Digests of executables, computed once per content and remembered over restarts.
///
/// An entry belongs to (device, inode, size, time of modification, time of change). A file whose change is younger
/// than ``settlingTime`` is hashed without being remembered: within one tick of the file system's clock it could be
/// written again and look the same.
///
/// Saving happens on the thread that has just hashed a file, which took longer, and at most once in ``saveInterval``;
/// what came in between is saved with the next one or by ``flush()``, which the daemon calls when idle and at its end.
/// A crash costs a few digests, to be computed again. A file that does not authenticate is put aside and the cache
/// starts empty.
public final class DigestCache: Sendable {
    /// More programs than one user runs; the least recently used goes first.
    public static let maximumEntries = 4096
    /// Larger than any executable we know of, and three seconds of hashing.
    public static let largestExecutable: Int64 = 1 << 30
    /// Coarser than the clock tick of any local file system, and FAT's two seconds.
    static let settlingTime: Int64 = 2_000_000_000
    static let saveInterval: Int64 = 2_000_000_000
    /// One read: large enough that calls cost nothing beside hashing.
    private static let pieceBytes = 256 * 1024
    /// Files that can be hashed at the same time; clients of one program share one hashing.
    private static let gateCount = 16

    struct Entry: Sendable, Equatable {
        var digest: ExecutableDigest
        var lastUse: UInt64
    }

    private struct State {
        var entries: [FileStatus.Content: Entry] = [:]
        var uses: UInt64 = 0
        var isDirty = false
        var lastSave: Int64?
    }

    private final class Gate: Sendable { let lock = Mutex(()) }

    private let state = Mutex(State())
    private let gates = (0..<gateCount).map { _ in Gate() }
    private let saving = Mutex(())
    private let file: AuthenticatedFile?
    private let system: any SystemCalls
    private let log: @Sendable (String) -> Void

    /// A cache kept in `folder`, which must exist, under the name `digests`; without a folder, in memory only.
    ///
    /// - Parameters:
    ///   - key: the record key: any 32 bytes that only the daemon can know.
    ///   - log: told when the file cannot be used or written; the cache works on without it.
    public convenience init(
        folder: String?, key: SecretBytes, log: @escaping @Sendable (String) -> Void = { _ in }
    ) { self.init(folder: folder, key: key, system: LinuxCalls(), log: log) }

    init(folder: String?, key: SecretBytes, system: any SystemCalls, log: @escaping @Sendable (String) -> Void) {
        self.system = system
        self.log = log
        file = folder.map {
            AuthenticatedFile(
                folder: $0, name: "digests", kind: Self.fileKind, version: Self.fileVersion, limit: Self.fileLimit,
                key: key, system: system)
        }
        guard let file else { return }
        do {
            guard let bytes = try file.read() else { return }
            let entries = try Self.decoded(bytes)
            state.withLock {
                $0.entries = entries
                $0.uses = UInt64(entries.count)
            }
        } catch AuthenticatedFileError.io(let error, let step) {
            log("the digest cache starts empty: \(step) failed: \(error)")
        } catch {
            file.setAside()
            log("the digest cache starts empty: \(file.folder)/digests was put aside as digests.damaged (\(error))")
        }
    }

    /// How many digests are known.
    public var count: Int { state.withLock { $0.entries.count } }

    /// Saves what is not saved yet.
    public func flush() {
        guard let file else { return }
        saving.withLock { _ in
            let entries: [FileStatus.Content: Entry]? = state.withLock {
                guard $0.isDirty else { return nil }
                $0.isDirty = false
                $0.lastSave = system.uptime
                return $0.entries
            }
            guard let entries else { return }
            do throws(AuthenticatedFileError) { try file.write(Self.encoded(entries)) } catch {
                state.withLock { $0.isDirty = true }
                log("the digest cache was not saved: \(error)")
            }
        }
    }

    /// The digest of the file that `open` opens for reading, which must be the one that `status` describes.
    ///
    /// - Throws: ESTALE when it is another file or is being written, EFBIG when it is too large, or the error of a call.
    func digest(of status: FileStatus, open: () throws(Errno) -> Descriptor) throws(Errno) -> ExecutableDigest {
        if let known = remembered(status.content) { return known }
        guard status.size <= Self.largestExecutable else { throw .tooBig }
        let gate = gates[Int(UInt(bitPattern: status.key.hashValue) % UInt(Self.gateCount))]
        let outcome: Result<ExecutableDigest, Errno> = gate.lock.withLock { _ in
            if let known = remembered(status.content) { return .success(known) }
            do throws(Errno) {
                let file = try open()
                // Taken before the first byte is read: what is written later has a later time of change.
                let isSettled = system.now &- status.changed >= Self.settlingTime
                let digest = try hash(file.number, expecting: status.content)
                if isSettled { remember(digest, for: status.content) }
                return .success(digest)
            } catch { return .failure(error) }
        }
        let digest = try outcome.get()
        let isDue = state.withLock { state in
            state.isDirty && state.lastSave.map { system.uptime - $0 >= Self.saveInterval } ?? true
        }
        if isDue { flush() }
        return digest
    }

    private func remembered(_ content: FileStatus.Content) -> ExecutableDigest? {
        state.withLock { state in
            guard let index = state.entries.index(forKey: content) else { return nil }
            state.uses += 1
            state.entries.values[index].lastUse = state.uses
            return state.entries.values[index].digest
        }
    }

    private func remember(_ digest: ExecutableDigest, for content: FileStatus.Content) {
        state.withLock { state in
            if state.entries.count >= Self.maximumEntries,
                let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.entries[oldest.key] = nil
            }
            state.uses += 1
            state.entries[content] = Entry(digest: digest, lastUse: state.uses)
            state.isDirty = true
        }
    }

    private func hash(_ file: Int32, expecting content: FileStatus.Content) throws(Errno) -> ExecutableDigest {
        guard try system.status(of: file).content == content else { throw .stale }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceBytes, alignment: 16)
        defer { buffer.deallocate() }
        var hash = SHA256()
        var offset: Int64 = 0
        while true {
            let count = try system.read(file, into: buffer, at: offset)
            if count == 0 { break }
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += Int64(count)
            // A file that grows while it is read must not keep us here.
            guard offset <= content.size else { throw .stale }
        }
        guard offset == content.size, try system.status(of: file).content == content else { throw .stale }
        guard let digest = ExecutableDigest(Array(hash.finalize())) else { throw .stale }
        return digest
    }
}
