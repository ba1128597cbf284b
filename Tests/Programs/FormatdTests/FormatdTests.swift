import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import FormatProtocol
import Foundation
import TestSupport
import Testing

/// Tests of the process that reads and writes files of keys: one question, one answer, and no other abilities.
struct FormatdTests {
    private static func fixture(_ name: String) throws -> SecretBytes {
        let place = Repository.root.appendingPathComponent("Tests/Keys/KeyFormatsTests/Fixtures/\(name)")
        return SecretBytes([UInt8](try Data(contentsOf: place)))
    }

    private static func question(
        _ name: String = "modern.p12", passphrase: String? = "password"
    ) throws -> FormatRequest {
        .read(ExternalFile(try fixture(name), passphrase: passphrase.map { SecretBytes($0.utf8) }))
    }

    private func content(_ reply: FormatReply) throws -> ExternalContent {
        guard case .content(let content) = reply else {
            throw KeychainError(.internalComponent, "no content: \(reply)")
        }
        return content
    }

    /// The old ciphers work too, although the sandbox is on before the question arrives.
    @Test(arguments: ["modern.p12", "rc2-40.p12"]) func itReadsAndEnds(_ name: String) throws {
        let run = try FormatdRun()
        #expect(try content(try run.ask(try Self.question(name))).items.count == 4)
        #expect(run.ends())
    }

    @Test func itWrites() throws {
        let content = try content(try FormatdRun().ask(try Self.question()))
        let order = ExternalOrder(content.items, format: .pkcs12, passphrase: SecretBytes("secret".utf8))
        guard case .file(let file) = try FormatdRun().ask(.write(order)) else {
            Issue.record("no file")
            return
        }
        let again = try self.content(
            try FormatdRun().ask(.read(ExternalFile(file, passphrase: SecretBytes("secret".utf8)))))
        #expect(again.items.count == 4)
    }

    @Test func itTellsWhy() throws {
        let failures: [(FormatRequest, FormatFailure)] = [
            (try Self.question(passphrase: "other"), .wrongPassphrase),
            (try Self.question(passphrase: nil), .passphraseRequired),
            (try Self.question("iterations.p12"), .tooManyIterations),
            (.write(ExternalOrder([], format: .pkcs12)), .unsuitableItems),
        ]
        for (request, failure) in failures { #expect(try FormatdRun().ask(request) == .failure(failure)) }
    }

    /// The largest allowed files, with one item and with a thousand, fit into its memory limit.
    @Test func theLargestFilesFit() throws {
        let text = [UInt8](repeating: UInt8(ascii: "x"), count: FormatLimits.maximumFileBytes - 1) + [0x0A]
        #expect(try FormatdRun().ask(.read(ExternalFile(SecretBytes(text)))) == .failure(.unknownFormat))
        let content = try content(try FormatdRun().ask(try Self.question()))
        let certificate = try #require(content.items.first { $0.kind == .certificate })
        let many = [ExternalItem](repeating: certificate, count: FormatLimits.maximumItems)
        for format in [ExternalFormat.pkcs7, .pemSequence] {
            guard case .file(let file) = try FormatdRun().ask(.write(ExternalOrder(many, format: format))) else {
                Issue.record("no file")
                return
            }
            let again = try self.content(try FormatdRun().ask(.read(ExternalFile(file))))
            #expect(again.items.count == many.count)
        }
    }

    @Test func nonsenseHasNoAnswer() throws {
        for bytes: [UInt8] in [
            [0xFF, 0xFF, 0xFF, 0xFF], [4, 0, 0, 0, 1, 2, 3, 4], [1, 0, 0, 0, 0xA0], [0, 0, 0, 0],
        ] {
            let run = try FormatdRun()
            run.sendRaw(bytes)
            #expect(throws: FrameError.self) { try run.reply() }
            #expect(run.ends())
        }
    }

    @Test func halfAQuestionHasNoAnswer() throws {
        let run = try FormatdRun()
        run.sendRaw([200, 0, 0, 0, 0xA3, 0])
        shutdown(run.channel.socket, Int32(SHUT_WR))
        #expect(throws: FrameError.self) { try run.reply() }
        #expect(run.ends())
    }

    @Test func aSecondQuestionHasNoAnswer() throws {
        var writer = CBORWriter()
        try Self.question().encode(to: &writer)
        let content = writer.finishArray()
        let frame = withUnsafeBytes(of: UInt32(content.count).littleEndian) { Array($0) } + content
        let run = try FormatdRun()
        run.sendRaw(frame + frame)
        guard case .content = try run.reply() else {
            Issue.record("no content")
            return
        }
        #expect(throws: FrameError.self) { try run.reply() }
        #expect(run.ends())
    }

    /// libcrypto's random numbers are not those that formatd had when it forked.
    @Test func noTwoWorkersMakeTheSameNumbers() throws {
        let run = try FormatdRun()
        let content = try content(try run.ask(try Self.question()))
        let order = ExternalOrder(content.items, format: .pkcs12, passphrase: SecretBytes("secret".utf8))
        func file() throws -> SecretBytes? {
            let worker = try #require(run.startAnother())
            let channel = FrameChannel(descriptor: worker.channel)
            channel.setDeadline(seconds: 30)
            try channel.send { FormatRequest.write(order).encode(to: &$0) }
            let reply = try channel.withFrame(limit: FormatWire.maximumReplyBytes) { frame, _ in
                try FormatReply(frame: frame)
            }
            guard case .file(let file) = reply else { return nil }
            return file
        }
        let files = try (0..<3).map { _ in try #require(try file()) }
        #expect(files[0] != files[1] && files[1] != files[2] && files[0] != files[2])
    }

    @Test func thereAreNoMoreThanItForks() throws {
        let run = try FormatdRun()
        var others: [(pid: UInt32, channel: Int32)] = []
        while let worker = run.startAnother() { others.append(worker) }
        defer { for worker in others { close(worker.channel) } }
        #expect(others.count == 2 * FormatWire.maximumWorkers - 1)
        #expect(run.orders.end(run.pid))
        try others.append(#require(run.startAnother()))
        #expect(run.startAnother() == nil)
    }

    /// No worker outlives securityd or formatd.
    @Test func workersEndWithFormatd() throws {
        let run = try FormatdRun()
        try run.waitUntilShutIn()
        run.process.kill()
        _ = run.process.wait()
        #expect(throws: FrameError.self) { try run.ask(try Self.question()) }
        #expect(run.ends())
    }

    @Test func oneThatIsKilledHasNoAnswer() throws {
        let run = try FormatdRun()
        try run.waitUntilShutIn()
        #expect(run.orders.end(run.pid))
        #expect(throws: FrameError.self) { try run.ask(try Self.question()) }
        #expect(run.status.fact("State") == nil)
    }

    @Test func itIsShutInBeforeItReads() throws {
        let run = try FormatdRun()
        try run.waitUntilShutIn()
        #expect(run.status.fact("NoNewPrivs") == "1" && run.status.fact("CapEff") == "0000000000000000")
        // A fork copies one thread and leaves the locks of all others as they are, so formatd may have only one thread.
        for process in [run.status, ProcessStatus(of: run.process.pid)] { #expect(process.fact("Threads") == "1") }
        let limits = String(decoding: TemporaryFolder.read("/proc/\(run.pid)/limits"), as: UTF8.self)
        for limit in ["Max cpu time", "Max core file size", "Max data size"] {
            let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix(limit) })
            #expect(!line.contains("unlimited"), "\(line)")
        }
        // They have their channels, and placeholders for standard input, output and error. formatd closes its end of a
        // worker's channel once it was passed on.
        let folder = "/proc/\(run.process.pid)/fd"
        for _ in 0..<1000 where TemporaryFolder.names(in: folder).count > 4 { usleep(10_000) }
        #expect(TemporaryFolder.names(in: folder) == ["0", "1", "2", "3"])
        #expect(TemporaryFolder.names(in: "/proc/\(run.pid)/fd").count == 4)
        _ = try content(try run.ask(try Self.question()))
    }

    @Test func nobodyElseStartsIt() throws {
        let program = BuildFolder.program("formatd")
        #expect(try CommandRun([program]).exitStatus == 2)
        #expect(try CommandRun([program, "--nonsense"]).exitStatus == 2)
        #expect(
            try CommandRun([program, "--version"]).output.hasPrefix(
                "formatd (Chatelaine), protocol \(FormatWire.version)"))
        #expect(try CommandRun([program, "--help"]).output.hasPrefix("Usage: formatd"))
    }
}
