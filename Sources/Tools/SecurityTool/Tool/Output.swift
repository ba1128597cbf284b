import Glibc

/// A descriptor that text and secrets are written to, without a buffer of its own.
package struct Output: Sendable {
    package let descriptor: Int32
    /// Whether a person reads it as it comes.
    package let isTerminal: Bool
    /// write(2), at which tests make it fail: a count, or -1 with the error.
    let call: @Sendable (Int32, UnsafeRawBufferPointer) -> (count: Int, error: Int32)

    package init(descriptor: Int32, isTerminal: Bool? = nil) {
        self.init(descriptor: descriptor, isTerminal: isTerminal) { descriptor, bytes in
            // SAFETY: the call reads `bytes.count` bytes at most.
            let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            return (count, count < 0 ? errno : 0)
        }
    }

    init(
        descriptor: Int32, isTerminal: Bool?,
        call: @escaping @Sendable (Int32, UnsafeRawBufferPointer) -> (count: Int, error: Int32)
    ) {
        self.descriptor = descriptor
        self.isTerminal = isTerminal ?? (isatty(descriptor) == 1)
        self.call = call
    }

    /// Writes everything; throws ``OutputError``.
    func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let (count, error) = call(descriptor, UnsafeRawBufferPointer(rebasing: rest))
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 {
                // write(2) gives 0 for no bytes only; a device that gives it for more would be asked for ever.
                throw OutputError(descriptor: descriptor, code: EIO)
            } else if error == EAGAIN {
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
            } else if error != EINTR {
                throw OutputError(descriptor: descriptor, code: error)
            }
        }
    }

    func write(_ text: String) throws(OutputError) {
        var failure: OutputError?
        var text = text
        text.withUTF8 { bytes in
            do throws(OutputError) { try write(UnsafeRawBufferPointer(bytes)) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
