import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc

/// Reads a passcode, or the password of a file keychain, from a descriptor directly into secret memory: all bytes up to
/// the end, unchanged.
///
/// A program sends it in a sealed anonymous file in memory, where reading and closing never wait. A process of
/// Chatelaine may also send it through a pipe. A stranger could write to a pipe from memory that never arrives.
/// Everybody who reads or closes that pipe would then wait, and no signal ends that wait. Any other file may be on a
/// file system that never answers.
struct PasscodeReader {
    private let limits: PasswordLimits
    /// The deadline in milliseconds of CLOCK_MONOTONIC.
    private let deadline: Int

    /// Starts the time limit for all passcodes of a request.
    init(_ limits: PasswordLimits = .passcode) {
        self.limits = limits
        deadline = Int(MonotonicClock.milliseconds) + Int(limits.patienceMilliseconds)
    }

    /// - Throws: `errSecParam` for another kind of descriptor, for content that is too short or too long, and for a
    ///   pipe that does not end in time.
    func read(_ descriptor: Int32) throws(KeychainError) -> SecretBytes {
        let isInMemory = chatelaine_is_sealed_memfd(descriptor) != 0
        guard isInMemory || Self.isPipe(descriptor) else {
            throw KeychainError(.param, "a \(limits.name) comes by a sealed file in memory or a pipe")
        }
        let room = try room(descriptor, isInMemory: isInMemory)
        // Allocated in full from the start, because bytes that move leave copies behind.
        var passcode = SecretBuffer(capacity: room)
        while passcode.count < room {
            if !isInMemory { try awaitBytes(descriptor) }
            let start = off_t(passcode.count)
            let count = passcode.append(capacity: room - passcode.count) { buffer in
                // SAFETY: the calls write to the buffer only, at most as much as it has room for.
                isInMemory
                    // From the beginning, wherever the sender left the file's position.
                    ? pread(descriptor, buffer.baseAddress, buffer.count, start)
                    : Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            }
            if count == 0 { break }
            if count < 0, errno != EINTR, errno != EAGAIN {
                throw KeychainError(system: errno, "reading a \(limits.name)", "a descriptor")
            }
        }
        guard limits.bytes.contains(passcode.count) else {
            throw KeychainError(
                .param, "a \(limits.name) has \(limits.bytes.lowerBound) to \(limits.bytes.upperBound) bytes")
        }
        return passcode.finish()
    }

    /// The bytes to allocate: one more than the limit, to notice longer content; for a sealed file, whose size is
    /// fixed, at most its size and one.
    private func room(_ descriptor: Int32, isInMemory: Bool) throws(KeychainError) -> Int {
        let most = limits.bytes.upperBound + 1
        guard isInMemory else { return most }
        var status = stat()
        // SAFETY: the call fills the structure.
        guard fstat(descriptor, &status) == 0 else {
            throw KeychainError(system: errno, "looking at a \(limits.name)", "a descriptor")
        }
        // A sparse file of any size costs nothing.
        return status.st_size < most ? Int(status.st_size) + 1 : most
    }

    /// Whether the descriptor is a pipe, which is made non-blocking.
    private static func isPipe(_ descriptor: Int32) -> Bool {
        var status = stat()
        // SAFETY: the call fills the structure.
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return false }
        let flags = fcntl(descriptor, F_GETFL)
        return flags >= 0 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) >= 0
    }

    private func awaitBytes(_ descriptor: Int32) throws(KeychainError) {
        while true {
            let left = deadline - Int(MonotonicClock.milliseconds)
            let result = left > 0 ? SocketCalls.poll(descriptor, POLLIN, Int32(clamping: left)) : (count: 0, error: 0)
            if result.count > 0 { return }
            guard result.count < 0 else {
                throw KeychainError(.param, "a \(limits.name) was announced and did not come in time")
            }
            guard result.error == EINTR else {
                throw KeychainError(system: result.error, "waiting for a \(limits.name)", "a descriptor")
            }
        }
    }
}
