import CChatelaine
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Glibc

/// The real executable at the other end of a socket pair.
final class EnclavedProcess {
    let pid: pid_t
    private(set) var channel: FrameChannel?
    private var isReaped = false
    private var nextID: UInt64 = 1

    /// The build folder's executable, which lies beside the test bundle.
    static var executable: String {
        let own = link("/proc/self/exe")
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? own
        for path in [own, bundle] {
            let candidate = path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/enclaved"
            if access(candidate, X_OK) == 0 { return candidate }
        }
        return "enclaved-not-found"
    }

    /// - Parameter prefix: a command that executes what follows it, such as setpriv.
    init(_ arguments: [String], prefix: [String] = [], executable: String = EnclavedProcess.executable) throws {
        var pair: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&pair) == 0 else { throw TemporaryFolder.Failure(code: errno) }
        defer { close(pair[1]) }
        channel = FrameChannel(descriptor: pair[0])
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pair[1], 3)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        let words = prefix + [executable] + arguments
        var argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for word in argv { free(word) } }
        // Its wrappers look for programs where the test run does (Tools/closed-path.sh).
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        var environment: [UnsafeMutablePointer<CChar>?] = [strdup("PATH=" + path), nil]
        defer { for word in environment { free(word) } }
        var pid: pid_t = 0
        let result = posix_spawnp(&pid, words[0], &actions, nil, &argv, &environment)
        guard result == 0 else { throw TemporaryFolder.Failure(code: result) }
        self.pid = pid
    }

    deinit {
        guard !isReaped else { return }
        kill(pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
    }

    func ask(_ request: EnclaveRequest, descriptors: [Int32] = []) throws -> EnclaveReply {
        guard let channel else { throw Unexpected() }
        nextID += 1
        return try Self.ask(request, on: channel, id: nextID, descriptors: descriptors)
    }

    static func ask(
        _ request: EnclaveRequest, on channel: FrameChannel, id: UInt64 = 1, descriptors: [Int32] = []
    ) throws -> EnclaveReply {
        try channel.send(descriptors: descriptors) { EnclaveEnvelope(id: id, payload: request).encode(to: &$0) }
        let reply = try channel.withFrame(limit: EnclaveWire.maximumFrameBytes) { bytes, _ in
            try EnclaveEnvelope<EnclaveReply>(decoding: bytes)
        }
        guard reply.id == id else { throw Unexpected() }
        return reply.payload
    }

    /// One more channel, and what the custodian said to it.
    func openChannel() throws -> (FrameChannel, EnclaveReply) {
        var pair: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&pair) == 0 else { throw TemporaryFolder.Failure(code: errno) }
        defer { close(pair[1]) }
        let channel = FrameChannel(descriptor: pair[0])
        return (channel, try ask(.openChannel, descriptors: [pair[1]]))
    }

    /// Where a symbolic link leads.
    static func link(_ path: String) -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.bindMemory(to: CChar.self).baseAddress.map { readlink(path, $0, bytes.count) } ?? -1
        }
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }

    /// Leaves the process to the caller, who ends it and waits for it.
    func abandon() -> pid_t {
        isReaped = true
        return pid
    }

    func closeChannel() { channel = nil }

    /// Waits for the end; the exit status, or the signal negated.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        isReaped = true
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
    }
}
