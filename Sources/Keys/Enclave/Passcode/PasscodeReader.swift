import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc

/// Reads a passcode from a descriptor, straight into secret memory: all bytes up to its end, as they are.
///
/// From a pipe and nothing else: that can be waited for within limits, while a file may be one of a file system that never answers.
struct PasscodeReader {
    /// Of CLOCK_MONOTONIC, in milliseconds.
    private let deadline: Int

    /// Begins to count the time that all passcodes of a request may take.
    init(patience milliseconds: Int32 = EnclaveWire.passcodePatienceMilliseconds) {
        deadline = Self.now + Int(milliseconds)
    }

    /// - Throws: `errSecParam` for another kind of descriptor, nothing or too much in it, and one that does not end in time.
    func read(_ descriptor: Int32) throws(KeychainError) -> SecretBytes {
        guard Self.isPipe(descriptor) else { throw KeychainError(.param, "a passcode comes by a pipe") }
        // All the room from the start: bytes that move would leave some behind.
        var passcode = SecretBuffer(capacity: EnclaveWire.maximumPasscodeBytes + 1)
        while passcode.count <= EnclaveWire.maximumPasscodeBytes {
            try awaitBytes(descriptor)
            let count = passcode.append(capacity: EnclaveWire.maximumPasscodeBytes + 1 - passcode.count) { buffer in
                // SAFETY: the call writes to the buffer only, at most as much as it has room for.
                Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            }
            if count == 0 { break }
            if count < 0, errno != EINTR, errno != EAGAIN {
                throw KeychainError(system: errno, "reading a passcode", "a descriptor")
            }
        }
        guard (1...EnclaveWire.maximumPasscodeBytes).contains(passcode.count) else {
            throw KeychainError(.param, "a passcode has 1 to \(EnclaveWire.maximumPasscodeBytes) bytes")
        }
        return passcode.finish()
    }

    /// Whether it is a pipe, from which nobody waits from then on.
    private static func isPipe(_ descriptor: Int32) -> Bool {
        var status = stat()
        // SAFETY: the call fills the structure.
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return false }
        let flags = fcntl(descriptor, F_GETFL)
        return flags >= 0 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) >= 0
    }

    private func awaitBytes(_ descriptor: Int32) throws(KeychainError) {
        while true {
            let left = deadline - Self.now
            let result = left > 0 ? SocketCalls.poll(descriptor, POLLIN, Int32(clamping: left)) : (count: 0, error: 0)
            if result.count > 0 { return }
            guard result.count < 0 else {
                throw KeychainError(.param, "a passcode was announced and did not come in time")
            }
            guard result.error == EINTR else {
                throw KeychainError(system: result.error, "waiting for a passcode", "a descriptor")
            }
        }
    }

    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}
