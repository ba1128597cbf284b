import Glibc

/// A descriptor for text and secrets, written without a buffer.
package struct Output: Sendable {
    package let descriptor: Int32
    /// Whether the descriptor is a terminal, where a person reads the text.
    let isTerminal: Bool
    /// The path of the file behind the descriptor, for errors; nil where only the descriptor is known.
    let path: String?
    /// write(2), which tests replace to fail: returns a count, or -1 with the error.
    let call: @Sendable (Int32, UnsafeRawBufferPointer) -> (count: Int, error: Int32)

    package init(descriptor: Int32, isTerminal: Bool? = nil, path: String? = nil) {
        self.init(descriptor: descriptor, isTerminal: isTerminal, path: path) { descriptor, bytes in
            // SAFETY: the call reads `bytes.count` bytes at most.
            let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            return (count, count < 0 ? errno : 0)
        }
    }

    init(
        descriptor: Int32, isTerminal: Bool?, path: String? = nil,
        call: @escaping @Sendable (Int32, UnsafeRawBufferPointer) -> (count: Int, error: Int32)
    ) {
        self.descriptor = descriptor
        self.path = path
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
                // write(2) returns 0 only for no bytes; a device that returns it otherwise would make this loop
                // endless.
                throw OutputError(descriptor: descriptor, path: path, code: EIO)
            } else if error == EAGAIN {
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
            } else if error != EINTR {
                throw OutputError(descriptor: descriptor, path: path, code: error)
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
