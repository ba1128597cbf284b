import CChatelaine
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Glibc
import TestSupport

/// The real executable at the other end of a socket pair.
final class EnclavedProcess {
    private let process: ChildProcess
    private(set) var channel: FrameChannel?
    private var nextID: UInt64 = 1

    var pid: pid_t { process.pid }

    static let executable = BuildFolder.program("enclaved")

    /// - Parameter prefix: A command that executes its arguments, such as setpriv.
    init(_ arguments: [String], prefix: [String] = [], executable: String = EnclavedProcess.executable) throws {
        var pair: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&pair) == 0 else { throw SystemError("making a socket pair") }
        defer { close(pair[1]) }
        channel = FrameChannel(descriptor: pair[0])
        process = try ChildProcess(prefix + [executable] + arguments, files: [(pair[1], 3)], isQuiet: true)
    }

    func ask<Request: EnclaveRequest>(
        _ request: Request, descriptors: [Int32] = []
    ) throws -> Result<Request.Reply, KeychainError> {
        guard let channel else { throw Unexpected() }
        nextID += 1
        return try Self.ask(request, on: channel, id: nextID, descriptors: descriptors)
    }

    static func ask<Request: EnclaveRequest>(
        _ request: Request, on channel: FrameChannel, id: UInt64 = 1, descriptors: [Int32] = []
    ) throws -> Result<Request.Reply, KeychainError> {
        try channel.send(descriptors: descriptors) { request.encode(id: id, to: &$0) }
        return try channel.withFrame(limit: EnclaveWire.maximumFrameBytes) { bytes, _ in
            let reply = try EnclaveReplyReader(bytes)
            guard reply.id == id, let result = try reply.read(Request.Reply.self) else { throw Unexpected() }
            return result
        }
    }

    /// Opens another channel, and returns the custodian's reply.
    func openChannel() throws -> (FrameChannel, Result<Done, KeychainError>) {
        var pair: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&pair) == 0 else { throw SystemError("making a socket pair") }
        defer { close(pair[1]) }
        let channel = FrameChannel(descriptor: pair[0])
        return (channel, try ask(OpenChannel(), descriptors: [pair[1]]))
    }

    /// The target of a symbolic link.
    static func link(_ path: String) -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.bindMemory(to: CChar.self).baseAddress.map { readlink(path, $0, bytes.count) } ?? -1
        }
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }

    /// Leaves the process to the caller, who ends it and waits for it.
    func abandon() -> pid_t { process.abandon() }

    func closeChannel() { channel = nil }

    /// Waits for the end and returns the exit status, or the negated signal.
    func wait() -> Int32 {
        switch process.wait() {
        case .exited(let status): status
        case .signalled(let signal): -signal
        }
    }
}
