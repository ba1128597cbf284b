import ChatelaineModel
import ChatelaineSystem
import Crypto
import Glibc

/// Digests of executables, each kept only while somebody vouches for it.
///
/// A process vouches if it ran the file when the file was hashed, and has run it ever since. Linux lets nobody open a
/// file for writing while it is executed. It executes no file that is open for writing, or mapped through such an
/// opening (execve(2), ETXTBSY).
///
/// No weaker rule is enough. The times of a file do not change when a page is changed that was dirty before, or any
/// page on tmpfs. See `Documentation/decisions/0008-what-a-process-runs.md`. The times are compared as well, since a
/// few kernels let running files be written (Linux 6.11, the first 6.12).
///
/// The snapshots of connections vouch. When the last snapshot of a file is gone, the file is hashed again for the next
/// process.
package final class DigestCache: Sendable {
    /// In bytes: larger than any known executable, and three seconds of hashing.
    static let largestExecutable: Int64 = 1 << 30
    /// In bytes of one read: large enough that the cost of the calls does not matter beside hashing.
    private static let pieceBytes = 256 * 1024
    /// The number of files that can be hashed at the same time; clients of one program share one hashing.
    private static let gateCount = 16
    /// The number of files at which entries without a voucher are removed; larger than the number of connections.
    private static let sweepCount = 512

    /// A snapshot whose connection may end at any time, and the digest of its file.
    private struct Voucher {
        weak var snapshot: ExecutableSnapshot?
        let digest: ExecutableDigest
    }

    private final class Gate: Sendable { let lock = AdaptiveMutex(()) }

    private let vouchers = AdaptiveMutex([FileStatus.Content: [Voucher]]())
    private let gates = (0..<gateCount).map { _ in Gate() }

    package init() {}

    /// The number of files for whose digests somebody vouches.
    var count: Int {
        let contents = vouchers.withLock { Array($0.keys) }
        return contents.count { present($0).contains { $0.snapshot.isStillRunning() } }
    }

    /// The digest of the file that `snapshot` shows, as its process runs it.
    ///
    /// - Throws: ESTALE when the process runs another file by now, EFBIG when the file is too large. EREMOTE when its
    ///   file system is not a local one, or the error of a call.
    func digest(of snapshot: ExecutableSnapshot) throws(Errno) -> ExecutableDigest {
        let system = snapshot.process.system
        // Read again, because the change time of an unlinked or renamed file differs from the first look.
        let content = try system.files.knownStatus(of: snapshot.file).content
        if let known = vouched(for: snapshot, content) { return known }
        let gate = gates[Int(UInt(bitPattern: snapshot.status.key.hashValue) % UInt(Self.gateCount))]
        let outcome: Result<ExecutableDigest, Errno> = gate.lock.withLock { _ in
            if let known = vouched(for: snapshot, content) { return .success(known) }
            do throws(Errno) {
                // Checked before the open, which a server could leave unanswered. The open goes through the descriptor
                // of the snapshot, because the process may run another file by now, on a file system of its own.
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

    /// The digest of an open file, computed now and not remembered.
    ///
    /// The file need not be running.
    ///
    /// - Throws: ESTALE when the file is not the expected one or is being written; otherwise as ``digest(of:)``.
    func compute(
        _ file: Int32, expecting content: FileStatus.Content, system: IdentitySystemCalls
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
            // Stops at a file that grows while it is read.
            guard offset <= content.size else { throw .stale }
        }
        guard offset == content.size, try system.files.status(of: file).content == content else { throw .stale }
        guard let digest = ExecutableDigest(Array(hash.finalize())) else { throw .stale }
        return digest
    }

    /// The known digest of the file, for which the new snapshot also vouches from now on.
    ///
    /// The new process ran the file before the other processes are asked whether they still do, so at that moment both
    /// ran it.
    private func vouched(for snapshot: ExecutableSnapshot, _ content: FileStatus.Content) -> ExecutableDigest? {
        guard let known = present(content).first(where: { $0.snapshot.isStillRunning() })?.digest else { return nil }
        vouch(snapshot, content, for: known)
        return known
    }

    /// The vouchers whose connections still exist.
    ///
    /// They are asked outside the lock, because a process can delay the answer about its memory.
    private func present(_ content: FileStatus.Content) -> [(snapshot: ExecutableSnapshot, digest: ExecutableDigest)] {
        vouchers.withLock { vouchers in
            (vouchers[content] ?? []).compactMap { voucher in voucher.snapshot.map { ($0, voucher.digest) } }
        }
    }

    private func vouch(
        _ snapshot: ExecutableSnapshot, _ content: FileStatus.Content, for digest: ExecutableDigest
    ) {
        // Without its memory, nobody sees when the process executes another program, so it cannot vouch.
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
    /// The facts that stay equal as long as the bytes of a file do: only root can set the time of the last inode
    /// change.
    struct Content: Hashable, Sendable {
        let key: FileKey
        let size: Int64
        let modified: Int64
        let changed: Int64
    }

    var content: Content { Content(key: key, size: size, modified: modified, changed: changed) }
}
