import Glibc

/// A pipe with some bytes; the writing end stays open until the test closes it.
package final class TestPipe {
    package let reading: Int32
    package private(set) var writing: Int32

    package init(_ bytes: [UInt8] = [], isEnded: Bool = true) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError("making a pipe") }
        (reading, writing) = (ends[0], ends[1])
        // Programs that other tests start meanwhile would inherit the ends. Swift does not import pipe2(2).
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        try send(bytes)
        if isEnded { end() }
    }

    package func send(_ bytes: [UInt8]) throws {
        guard write(writing, bytes, bytes.count) == bytes.count else { throw SystemError("writing to a pipe") }
    }

    package func end() {
        if writing >= 0 { close(writing) }
        writing = -1
    }

    /// Whether all bytes were read.
    package var isEmpty: Bool {
        var entry = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 0
    }

    deinit {
        end()
        close(reading)
    }
}
