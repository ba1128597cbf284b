import ChatelaineModel
import ChatelaineSystem
import Crypto
import Glibc

/// Digests of executables, each remembered for as long as somebody vouches for it: a process that ran the file when it
/// was hashed, and has run it ever since.
///
/// Linux lets nobody open a file for writing that is being executed, and executes none that is open for writing or mapped
/// by who opened it so (execve(2), ETXTBSY). Nothing weaker will do: the times of a file stay as they are when a page is
/// changed that was dirty before, or any page on tmpfs. See `Documentation/decisions/0008-what-a-process-runs.md`.
///
/// The times are looked at besides, since a few kernels have let what runs be written to (Linux 6.11, the first 6.12).
///
/// The snapshots of connections vouch; when the last one of a file is gone, the next process has its file hashed again.
package final class DigestCache: Sendable {
    /// Larger than any executable we know of, and three seconds of hashing.
    package static let largestExecutable: Int64 = 1 << 30
    /// One read: large enough that calls cost nothing beside hashing.
    private static let pieceBytes = 256 * 1024
    /// Files that can be hashed at the same time; clients of one program share one hashing.
    private static let gateCount = 16
    /// Files after which those are looked for that nobody vouches for any more; more than there are connections.
    private static let sweepCount = 512

    /// A snapshot whose connection may end at any time, and the digest of what it shows.
    private struct Voucher {
        weak var snapshot: ExecutableSnapshot?
        let digest: ExecutableDigest
    }

    private final class Gate: Sendable { let lock = AdaptiveMutex(()) }

    private let vouchers = AdaptiveMutex([FileStatus.Content: [Voucher]]())
    private let gates = (0..<gateCount).map { _ in Gate() }

    package init() {}

    /// How many files there are for whose digests somebody vouches.
    var count: Int {
        let contents = vouchers.withLock { Array($0.keys) }
        return contents.count { present($0).contains { $0.snapshot.isStillRunning() } }
    }

    /// The digest of the file that `snapshot` shows, as its process runs it.
    ///
    /// - Throws: ESTALE when the process runs another file by now, EFBIG when it is too large, EREMOTE when its file
    ///   system is not a local one, or the error of a call.
    func digest(of snapshot: ExecutableSnapshot) throws(Errno) -> ExecutableDigest {
        let system = snapshot.process.system
        // Asked anew: an unlinked or renamed file has another time of change than when it was first looked at.
        let content = try system.files.knownStatus(of: snapshot.file).content
        if let known = vouched(for: snapshot, content) { return known }
        let gate = gates[Int(UInt(bitPattern: snapshot.status.key.hashValue) % UInt(Self.gateCount))]
        let outcome: Result<ExecutableDigest, Errno> = gate.lock.withLock { _ in
            if let known = vouched(for: snapshot, content) { return .success(known) }
            do throws(Errno) {
                // A server that never answers could keep us waiting already when the file is opened. What is opened is the file
                // that was looked at: the process may run another one by now, on a file system of its own.
                guard try system.kind(of: snapshot.file) == .local else { throw .remote }
                let file = try system.files.open("/proc/self/fd/\(snapshot.file)", in: AT_FDCWD, .readThrough)
                let digest = try compute(file.number, expecting: content, system: system)
                guard snapshot.isStillRunning() else { throw .stale }
                vouch(snapshot, content, for: digest)
                return .success(digest)
            } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    /// The digest of an open file, computed now and not remembered: nobody need be running it.
    ///
    /// - Throws: ESTALE when it is another file than expected or is being written; else as ``digest(of:)``.
    func compute(
        _ file: Int32, expecting content: FileStatus.Content, system: IdentityCalls
    ) throws(Errno) -> ExecutableDigest {
        guard content.size <= Self.largestExecutable else { throw .tooBig }
        guard try system.kind(of: file) == .local else { throw .remote }
        guard try system.files.status(of: file).content == content else { throw .stale }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceBytes, alignment: 16)
        defer { buffer.deallocate() }
        var hash = SHA256()
        var offset: Int64 = 0
        while true {
            let count = try system.files.read(file, into: buffer, at: offset)
            if count == 0 { break }
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += Int64(count)
            // A file that grows while it is read must not keep us here.
            guard offset <= content.size else { throw .stale }
        }
        guard offset == content.size, try system.files.status(of: file).content == content else { throw .stale }
        guard let digest = ExecutableDigest(Array(hash.finalize())) else { throw .stale }
        return digest
    }

    /// What is known of the file, and vouched for by the newcomer too from now on.
    ///
    /// The newcomer ran the file before the others are asked whether they still do: at that moment both ran it.
    private func vouched(for snapshot: ExecutableSnapshot, _ content: FileStatus.Content) -> ExecutableDigest? {
        guard let known = present(content).first(where: { $0.snapshot.isStillRunning() })?.digest else { return nil }
        vouch(snapshot, content, for: known)
        return known
    }

    /// Those whose connections are there. They are asked outside the lock: a process can keep us waiting for its memory.
    private func present(_ content: FileStatus.Content) -> [(snapshot: ExecutableSnapshot, digest: ExecutableDigest)] {
        vouchers.withLock { vouchers in
            (vouchers[content] ?? []).compactMap { voucher in voucher.snapshot.map { ($0, voucher.digest) } }
        }
    }

    private func vouch(
        _ snapshot: ExecutableSnapshot, _ content: FileStatus.Content, for digest: ExecutableDigest
    ) {
        // Of who is not seen to execute something nobody knows what it runs now.
        guard !snapshot.isUnwatched else { return }
        vouchers.withLock { vouchers in
            if vouchers.count >= Self.sweepCount {
                vouchers = vouchers.filter { $0.value.contains { $0.snapshot != nil } }
            }
            vouchers[content, default: []].removeAll { $0.snapshot == nil || $0.snapshot === snapshot }
            vouchers[content, default: []].append(Voucher(snapshot: snapshot, digest: digest))
        }
    }
}

extension FileStatus {
    /// What stays equal as long as the bytes of a file do: nobody but root can set the time of the last inode change.
    struct Content: Hashable, Sendable {
        let key: FileKey
        let size: Int64
        let modified: Int64
        let changed: Int64
    }

    var content: Content { Content(key: key, size: size, modified: modified, changed: changed) }
}
