import AgentProtocol
import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import Glibc
import TestSupport

/// A running security-agent, with the test in securityd's place.
final class AgentRun {
    let process: ChildProcess
    private var channel: FrameChannel?
    private var pipe: TestPipe?

    init(_ pinentry: String, session: [String] = []) throws {
        var pair: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&pair) == 0 else { throw SystemError("a socket pair") }
        defer { close(pair[1]) }
        channel = FrameChannel(descriptor: pair[0])
        process = try ChildProcess(
            [BuildFolder.program("security-agent"), "--pinentry", pinentry],
            environment: ["PATH=/usr/bin:/bin"] + session, files: [(pair[1], 3)], inheritsOthers: false)
    }

    /// Sends a dialog to the agent.
    func show(_ dialog: Dialog) throws {
        let pipe = try TestPipe(isEnded: false)
        try channel?.send(descriptors: [pipe.writing]) { dialog.encode(to: &$0) }
        pipe.end()
        self.pipe = pipe
    }

    func reply() throws -> DialogReply {
        guard let channel else { throw FrameError.closed }
        return try channel.withFrame(limit: AgentWire.maximumFrameBytes) { frame, _ in try DialogReply(frame: frame) }
    }

    /// The text in the pipe of the last dialog.
    func typed() -> String {
        guard let pipe else { return "" }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(pipe.reading, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// Closes the channel and waits for the end of the agent.
    @discardableResult
    func end() -> ChildProcess.End {
        channel = nil
        return process.wait()
    }

    /// The pinentries of the agent that still run.
    var pinentries: [pid_t] {
        children.filter { pid in
            String(decoding: TemporaryFolder.read("/proc/\(pid)/comm"), as: UTF8.self).hasPrefix("pinentry")
        }
    }

    /// The children of the agent that still run.
    var children: [pid_t] {
        let path = "/proc/\(process.pid)/task/\(process.pid)/children"
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: " ").compactMap { pid_t($0) }
    }
}
