import CChatelaine
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Enclave
import EnclaveProtocol
import Foundation
import Glibc
import Sealing
import Synchronization
import TestSupport
import Testing

/// The real process is hardened, keeps its channels apart, and ends with them or with its parent.
@Suite struct EnclavedTests {
    private let noSignal = Int32(MSG_NOSIGNAL)
    private let folder: TemporaryFolder
    private let store = StoreIdentifier()

    init() throws { folder = try TemporaryFolder() }

    private func start() throws -> EnclavedProcess { try EnclavedProcess(["--state-folder", folder.state]) }

    @Test func servesAndEndsWithItsChannel() throws {
        let context = RowContext.sample(store)
        var wrapped: WrappedRowKey?
        var key: SecretBytes?
        for isEmpty in [true, false] {
            let process = try start()
            _ = try process.ask(OpenStore(store, isEmpty: isEmpty)).get()
            if let wrapped {
                let opened = try process.ask(OpenRowKeys([wrapped], in: store)).get()
                #expect(try opened.first?.get() == key)
            } else {
                let keys = try process.ask(CreateRowKeys([context], in: store)).get()
                (wrapped, key) = (keys[0].wrapped(in: context), keys[0].key)
            }
            process.closeChannel()
            #expect(process.wait() == 0)
        }
    }

    @Test func troubleWithTheFolderReachesTheClient() throws {
        let process = try EnclavedProcess(["--state-folder", folder.path + "/none/state"])
        guard case .failure(let error) = try process.ask(OpenStore(store, isEmpty: true)) else { throw Unexpected() }
        #expect(error.status == .notAvailable && error.reason.contains("none/state"))
        let report = try process.ask(ReadCustodianReport()).get()
        #expect(report.classKeys == 0)
    }

    @Test func isHardened() throws {
        // For root, nothing in /proc shows whether a process is dumpable, so the process runs under another uid.
        let isRoot = geteuid() == 0
        if isRoot { try #require(chown(folder.path, 20_018, 20_018) == 0) }
        let executable = folder.path + "/enclaved"
        TemporaryFolder.write(executable, [])
        try copy(EnclavedProcess.executable, to: executable)
        let become = ["setpriv", "--reuid", "20018", "--regid", "20018", "--clear-groups", "--inh-caps=-all"]
        let process = try EnclavedProcess(
            ["--state-folder", folder.state], prefix: isRoot ? become : [], executable: executable)
        _ = try process.ask(OpenStore(store, isEmpty: true)).get()
        let report = try process.ask(ReadCustodianReport()).get()
        #expect(!report.isDumpable && report.lockedBytes + report.unlockedBytes > 0)

        let proc = "/proc/\(process.pid)"
        var status = stat()
        #expect(stat(proc + "/environ", &status) == 0)
        // The process runs under another uid, but proc(5) gives the files of an undumpable process to root.
        #expect(status.st_uid == 0)
        let lines = String(decoding: TemporaryFolder.read(proc + "/status"), as: UTF8.self)
        #expect(lines.contains("NoNewPrivs:\t1"))
        #expect(lines.contains("Umask:\t0077"))
        if isRoot { #expect(lines.contains("Uid:\t20018\t20018")) }
        let limits = String(decoding: TemporaryFolder.read(proc + "/limits"), as: UTF8.self)
        let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") } ?? ""
        #expect(core.split(separator: " ").suffix(3) == ["0", "0", "bytes"])
        if isRoot {
            let descriptors = TemporaryFolder.names(in: proc + "/fd").compactMap { Int($0) }.sorted()
            // The descriptors are the standard ones, the channel, the state folder and the keybag folder.
            #expect(descriptors == [0, 1, 2, 3, 4, 5])
            #expect(try run(become + ["cat", proc + "/environ"]) != 0)
            #expect(try run(become + ["cat", proc + "/maps"]) != 0)
            // The same command can read a file that is not protected.
            #expect(try run(become + ["cat", "/proc/self/environ"]) == 0)
        }
        process.closeChannel()
        #expect(process.wait() == 0)
    }

    @Test func channelsAreIndependent() throws {
        let process = try start()
        _ = try process.ask(OpenStore(store, isEmpty: true)).get()
        let garbage: [[UInt8]] = [
            [0, 0, 0, 0], [1, 0, 0, 0, 0xFF], [0xFF, 0xFF, 0xFF, 0x7F], [3, 0, 0, 0, 0xA1, 0x00, 0x06],
            Array("GET / HTTP/1.1\r\n\r\n".utf8),
        ]
        for bytes in garbage {
            let (channel, reply) = try process.openChannel()
            _ = try reply.get()
            #expect(send(channel.socket, bytes, bytes.count, noSignal) == bytes.count)
            #expect(throws: FrameError.self) {
                try channel.withFrame(limit: EnclaveWire.maximumFrameBytes) { _, _ in }
            }
        }
        // The channel sends half a frame and then nothing more.
        let (half, _) = try process.openChannel()
        let cut: [UInt8] = [9, 0, 0, 0, 0xA2]
        #expect(send(half.socket, cut, cut.count, noSignal) == cut.count)
        let (channel, reply) = try process.openChannel()
        _ = try reply.get()
        // An open store is open for every channel.
        _ = try EnclavedProcess.ask(CreateRowKeys([.sample(store)], in: store), on: channel).get()
        _ = try process.ask(ReadCustodianReport()).get()
        process.closeChannel()
        #expect(process.wait() == 0)
    }

    @Test func garbageOnTheOnlyChannelEndsTheProcess() throws {
        let process = try start()
        let socket = try #require(process.channel).socket
        // Typed, since a bare literal would be sent as 64-bit integers.
        let tooLong: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
        #expect(send(socket, tooLong, tooLong.count, noSignal) == tooLong.count)
        #expect(process.wait() == 0)
    }

    @Test func channelsAreLimited() throws {
        let process = try start()
        var channels: [FrameChannel] = []
        for _ in 1..<ChannelServer.maximumChannels {
            let (channel, reply) = try process.openChannel()
            _ = try reply.get()
            channels.append(channel)
        }
        guard case (_, .failure(let error)) = try process.openChannel() else { throw Unexpected() }
        #expect(error.status == .notAvailable)
        for channel in channels {
            _ = try EnclavedProcess.ask(ReadCustodianReport(), on: channel).get()
        }
    }

    @Test func onlyStreamSocketsBecomeChannels() throws {
        let process = try start()
        let file = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(file) }
        for descriptors in [[], [file], [file, file]] {
            guard case .failure(let error) = try process.ask(OpenChannel(), descriptors: descriptors) else {
                throw Unexpected()
            }
            #expect(error.status == .param)
        }
        // A descriptor with any other request is not a message of the protocol.
        #expect(throws: FrameError.self) { try process.ask(ReadCustodianReport(), descriptors: [file]) }
    }

    @Test(arguments: [
        [], ["--state-folder"], ["--state-folder", "relative"], ["--channel", "1", "--state-folder", "/tmp/x"],
        ["--channel", "x", "--state-folder", "/tmp/x"], ["--what"], ["--channel", "77", "--state-folder", "/tmp/x"],
    ])
    func wrongArgumentsEndWithAUsageStatus(arguments: [String]) throws {
        #expect(try EnclavedProcess(arguments).wait() == 2)
    }

    @Test func outlivesTheThreadThatStartedItButNotTheProcess() throws {
        let started = Mutex<(pid: pid_t, socket: Int32, thread: String)?>(nil)
        let (path, ended) = (folder.state, DispatchSemaphore(value: 0))
        let thread = Thread {
            defer { ended.signal() }
            guard let process = try? EnclavedProcess(["--state-folder", path]),
                case .success? = try? process.ask(ReadCustodianReport()), let socket = process.channel?.socket
            else { return }
            let kept = fcntl(socket, F_DUPFD_CLOEXEC, 0)
            started.withLock { $0 = (process.abandon(), kept, EnclavedProcess.link("/proc/thread-self")) }
        }
        thread.start()
        ended.wait()
        let (pid, socket, task) = try #require(started.withLock { $0 })
        // The kernel sends a thread's death signals to its children before the thread leaves /proc.
        try until("the thread is gone") { access("/proc/\(task)", F_OK) != 0 }
        let channel = FrameChannel(descriptor: socket)
        for id in UInt64(1)...20 {
            _ = try EnclavedProcess.ask(ReadCustodianReport(), on: channel, id: id).get()
        }
        kill(pid, SIGKILL)
        var status: Int32 = 0
        #expect(waitpid(pid, &status, 0) == pid)
    }

    @Test func endsWithItsParentThoughTheChannelIsOpen() throws {
        let script = "\"$0\" \"$@\" & wait"
        let shell = try EnclavedProcess(["--state-folder", folder.state], prefix: ["/bin/sh", "-c", script])
        _ = try shell.ask(ReadCustodianReport()).get()
        kill(shell.pid, SIGKILL)
        let channel = try #require(shell.channel)
        channel.setPatience()
        #expect(throws: FrameError.closed) {
            try channel.withFrame(limit: EnclaveWire.maximumFrameBytes, waits: false) { _, _ in }
        }
        #expect(shell.wait() == -SIGKILL)
    }

    @Test func showsItsVersion() throws { #expect(try EnclavedProcess(["--version"]).wait() == 0) }

    private func run(_ words: [String]) throws -> Int32 {
        try EnclavedProcess(Array(words.dropFirst()), executable: words[0]).wait()
    }

    private func copy(_ source: String, to target: String) throws {
        let input = open(source, O_RDONLY | O_CLOEXEC)
        let output = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o755)
        defer {
            close(input)
            close(output)
        }
        guard input >= 0, output >= 0 else { throw SystemError("copying a program") }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(input, &buffer, buffer.count)
            guard count > 0 else { break }
            guard write(output, buffer, count) == count else { throw SystemError("copying a program") }
        }
        guard fchmod(output, 0o755) == 0 else { throw SystemError("copying a program") }
    }
}
