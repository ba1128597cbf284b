import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// Reads a secret from a descriptor to its end.
///
/// Every byte counts, a final newline included, because a secret may be binary. `isChomped` leaves out one newline, for
/// secrets that `echo` writes.
struct SecretReader {
    /// The bytes of one read: the capacity of a pipe.
    private static let chunk = 64 * 1024

    let progress: Progress
    /// read(2), which tests replace to fail: returns a count, 0 at the end, or -1 with the error.
    var call: (Int32, UnsafeMutableRawBufferPointer) -> (count: Int, error: Int32) = { descriptor, buffer in
        // SAFETY: the call writes at most `buffer.count` bytes to the buffer.
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        return (count, count < 0 ? errno : 0)
    }

    /// Reads the secret; throws `KeychainError` (`errSecDataTooLarge`) as soon as the limit is passed, and
    /// ``ToolError``.
    func read(_ descriptor: Int32, isChomped: Bool) throws -> SecretBytes {
        guard isatty(descriptor) == 0 else {
            throw ToolError.usage(
                "descriptor \(descriptor) is a terminal, which would show the secret; let it be asked")
        }
        var buffer = SecretBuffer(capacity: Self.chunk)
        var shown = Progress.bytesWorthTelling
        while true {
            var error: Int32 = 0
            let count = buffer.append(capacity: Self.chunk) { room in
                let (count, code) = call(descriptor, room)
                error = code
                return count
            }
            if count == 0 { break }
            if count < 0 { try recover(from: error, descriptor) }
            // One more byte is read for a newline that may be left out.
            guard buffer.count <= Limits.secretBytes + (isChomped ? 1 : 0) else { throw Self.tooLarge }
            if buffer.count >= shown {
                progress.show("reading… \(buffer.count / Progress.bytesWorthTelling) MiB")
                shown += Progress.bytesWorthTelling
            }
        }
        if shown > Progress.bytesWorthTelling { progress.finish() }
        return try Self.secret(buffer, isChomped: isChomped)
    }

    private static func secret(_ buffer: consuming SecretBuffer, isChomped: Bool) throws -> SecretBytes {
        let endsInNewline = buffer.withUnsafeBytes { $0.last == UInt8(ascii: "\n") }
        if isChomped, endsInNewline {
            return buffer.withUnsafeBytes { SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0.dropLast())) }
        }
        guard buffer.count <= Limits.secretBytes else { throw tooLarge }
        return buffer.finish()
    }

    private func recover(from error: Int32, _ descriptor: Int32) throws {
        switch error {
        case EINTR: return
        case EAGAIN:
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            poll(&wait, 1, -1)
        default:
            throw ToolError.failure("descriptor \(descriptor) could not be read: \(Errno(error))")
        }
    }

    static var tooLarge: KeychainError {
        KeychainError(
            .dataTooLarge, "a secret has \(Limits.secretBytes) bytes at most, and more came; nothing was changed")
    }
}
