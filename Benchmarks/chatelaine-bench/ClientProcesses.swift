import Foundation

/// Client processes that work at the same time, with one connection each.
struct ClientProcesses {
    static let seconds = 3.0
    /// Nanoseconds between the message and the start of the period, so that all clients have the message by then.
    private static let notice: Int64 = 200_000_000

    /// Measures the calls per second of `count` processes together.
    static func throughput(_ work: ClientProcess.Work, count: Int, items: Int) throws -> Double {
        try run(work, count: count, items: items).rate
    }

    /// Measures calls per second; `calls` is the number of all calls, with the first call of each process.
    static func run(_ work: ClientProcess.Work, count: Int, items: Int) throws -> (rate: Double, calls: Int) {
        let environment = ProcessInfo.processInfo.environment
        let clients = try (0..<count).map { _ in
            try OwnProgram.start(["client", work.rawValue, "\(items)"], environment: environment)
        }
        defer { for client in clients { close(client.socket) } }
        try begin(clients.map(\.socket))
        let calls = try clients.map { try receive($0.socket, as: Int.self) }.reduce(0, +)
        for client in clients { try OwnProgram.await(client.pid, "a client process") }
        return (Double(calls) / seconds, calls + count)
    }

    /// Waits until all clients are ready, and tells them when the period begins and ends.
    static func begin(_ sockets: [Int32]) throws {
        for socket in sockets { _ = try receive(socket, as: UInt8.self) }
        let start = Samples.now + notice
        var period = ClientProcess.Period(start: start, end: start + Int64(seconds * 1e9))
        try withUnsafeMutableBytes(of: &period) { bytes in
            for socket in sockets { try Floor.transmit(socket, bytes) }
        }
    }

    private static func receive<Number: FixedWidthInteger>(_ socket: Int32, as type: Number.Type) throws -> Number {
        var number: Number = 0
        try withUnsafeMutableBytes(of: &number) { try Floor.receive(socket, $0) }
        return number
    }
}
