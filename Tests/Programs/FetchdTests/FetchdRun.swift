import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import FetchProtocol
import Glibc
import TestSupport

/// A running fetchd, with the test in securityd's place.
final class FetchdRun {
    let process: ChildProcess
    let channel: FrameChannel

    init(environment: [String] = []) throws {
        var pair: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&pair) == 0 else { throw FrameError.system(errno) }
        defer { close(pair[1]) }
        channel = FrameChannel(descriptor: pair[0])
        channel.setDeadline(seconds: 30)
        process = try ChildProcess(
            [BuildFolder.program("fetchd")], environment: ["LC_ALL=C.UTF-8"] + environment, files: [(pair[1], 3)],
            inheritsOthers: false)
    }

    func ask(_ request: FetchRequest) throws -> FetchReply {
        try channel.send { request.encode(to: &$0) }
        return try reply()
    }

    func reply() throws -> FetchReply {
        try channel.withFrame(limit: FetchWire.maximumReplyBytes) { frame, _ in try FetchReply(frame: frame) }
    }

    /// Sends bytes that need not be a frame.
    func sendRaw(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { send(channel.socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    var status: ProcessStatus { ProcessStatus(of: process.pid) }
}
