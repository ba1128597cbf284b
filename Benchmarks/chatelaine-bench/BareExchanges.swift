import Foundation
import Synchronization

/// The machine's bare floor for many client processes: each exchanges messages with its own thread of one server.
///
/// Neither side does any work. So the rates show what processes, threads and their switches cost on this machine.
enum BareExchanges {
    /// The first byte of a message; the second kind ends with the number of exchanges.
    private enum Message: UInt8 {
        case exchange
        case end
    }

    /// Bytes of a thread's stack, which holds one message.
    private static let stackBytes = 64 * 1024

    /// Measures the exchanges per second of `count` processes together, with this process as the server.
    static func throughput(count: Int) throws -> Double {
        let clients = try (0..<count).map { _ in try OwnProgram.start(["client", "exchanges"]) }
        defer { for client in clients { close(client.socket) } }
        let total = Atomic(0)
        try ClientProcesses.begin(clients.map(\.socket))
        let threads = DispatchGroup()
        for client in clients {
            threads.enter()
            let thread = Thread {
                defer { threads.leave() }
                guard let exchanges = try? serve(client.socket) else { return }
                total.add(exchanges, ordering: .relaxed)
            }
            thread.stackSize = stackBytes
            thread.start()
        }
        threads.wait()
        for client in clients { try OwnProgram.await(client.pid, "a client process") }
        return Double(total.load(ordering: .relaxed)) / ClientProcesses.seconds
    }

    /// Answers until the client ends, and returns the number of its exchanges.
    private static func serve(_ socket: Int32) throws -> Int {
        try withUnsafeTemporaryAllocation(byteCount: Floor.messageBytes, alignment: 16) { message in
            while true {
                try Floor.receive(socket, message)
                guard message[0] == Message.exchange.rawValue else {
                    return message.load(fromByteOffset: Floor.numberOffset, as: Int.self)
                }
                try Floor.transmit(socket, message)
            }
        }
    }

    /// Runs in a client process, over descriptor 3.
    static func client() throws {
        try withUnsafeTemporaryAllocation(byteCount: Floor.messageBytes, alignment: 16) { message in
            message.initializeMemory(as: UInt8.self, repeating: Message.exchange.rawValue)
            let period = try ClientProcess.Period.awaited()
            var count = 0
            while Samples.now < period.end {
                try Floor.exchange(3, message, count: Floor.messageBytes)
                count += 1
            }
            message[0] = Message.end.rawValue
            message.storeBytes(of: count, toByteOffset: Floor.numberOffset, as: Int.self)
            try Floor.transmit(3, message)
        }
    }
}
