import Glibc

/// Asks the floor's daemon, one step a call.
final class FloorClient {
    private let socket: Int32
    private let pid: Int32
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Floor.messageBytes, alignment: 16)

    init(database: String, scratch: String) throws {
        unlink(scratch)
        (pid, socket) = try Floor.spawn(["floor-server", database, scratch])
        // The first exchange waits until the other side has its databases open.
        try step(.roundTrip)
    }

    deinit {
        close(socket)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        buffer.deallocate()
    }

    func step(_ step: Floor.Step) throws {
        buffer[0] = step.rawValue
        try Floor.exchange(socket, buffer, count: Floor.messageBytes)
    }
}
