import Glibc

/// A client of the floor's daemon; each call requests one step.
final class FloorClient {
    private let socket: Int32
    private let server: Int32
    private let enclave: Int32
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Floor.messageBytes, alignment: 16)
    private let hits = UnsafeMutableRawBufferPointer.allocate(
        byteCount: Workload.listedCount * Floor.Step.listAttributes.hitBytes, alignment: 16)

    init(database: String, scratch: String) throws {
        for file in [scratch, scratch + "-wal", scratch + "-shm"] { unlink(file) }
        (server, socket) = try OwnProgram.start(["floor-server", database, scratch])
        // The first exchange waits until the daemon has opened its databases.
        buffer[0] = Floor.Step.roundTrip.rawValue
        try Floor.exchange(socket, buffer, count: Floor.messageBytes)
        enclave = buffer.load(fromByteOffset: Floor.numberOffset, as: Int32.self)
    }

    deinit {
        close(socket)
        var status: Int32 = 0
        waitpid(server, &status, 0)
        buffer.deallocate()
        hits.deallocate()
    }

    /// The floor's processes other than this one.
    var processes: [Int32] { [server, enclave] }

    func step(_ step: Floor.Step) throws {
        buffer[0] = step.rawValue
        try Floor.exchange(socket, buffer, count: Floor.messageBytes)
    }

    /// Requests a listing of the whole listed service.
    func list(_ step: Floor.Step) throws {
        buffer[0] = step.rawValue
        buffer.storeBytes(of: Int32(Workload.listedCount), toByteOffset: Floor.numberOffset, as: Int32.self)
        try Floor.transmit(socket, buffer)
        try Floor.receive(
            socket, UnsafeMutableRawBufferPointer(rebasing: hits[..<(Workload.listedCount * step.hitBytes)]))
    }

    /// Measures processes that make one round trip to the daemon: milliseconds from the start of each to its end.
    func firstCall() throws -> Double {
        try Measurements.process { try OwnProgram.start(["client", "round-trip"], channel: socket) }
    }

    /// Runs in the process that ``firstCall()`` starts.
    static func roundTrip() throws {
        try withUnsafeTemporaryAllocation(byteCount: Floor.messageBytes, alignment: 16) { buffer in
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            try Floor.exchange(3, buffer, count: Floor.messageBytes)
        }
    }
}
