import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import Glibc
import Synchronization
import Testing

@testable import SecurityTool

/// Tests of secrets that are read from descriptors and written to them.
struct SecretSourceTests {
    private func added(_ arguments: [String], input: [UInt8]) throws -> [UInt8]? {
        let keychain = FakeKeychain()
        _ = ToolRun(["item", "add", "-s", "x"] + arguments, keychain: keychain, input: input)
        guard case .add(let item)? = keychain.last else { throw ToolError.failure("nothing was added") }
        return item.secret?.withUnsafeBytes { Array($0) }
    }

    @Test func everyByteCounts() throws {
        #expect(try added(["--stdin"], input: [0, 255, 10, 10]) == [0, 255, 10, 10])
        #expect(try added(["--stdin", "--chomp"], input: [0, 255, 10, 10]) == [0, 255, 10])
        #expect(try added(["--stdin", "--chomp"], input: [65]) == [65])
        #expect(try added(["--stdin"], input: []) == [])
        #expect(try added(["--no-secret"], input: [65]) == nil)
    }

    @Test func anyDescriptorServes() throws {
        let file = chatelaine_memfd("secret")
        defer { close(file) }
        #expect(write(file, "abc", 3) == 3)
        lseek(file, 0, SEEK_SET)
        #expect(try added(["--secret-fd", "\(file)"], input: [65]) == Array("abc".utf8))
    }

    @Test func theLimitHoldsWhileReading() throws {
        var reads = 0
        let reader = SecretReader(progress: Progress(Output(descriptor: -1, isTerminal: false))) { _, room in
            reads += 1
            for index in room.indices { room[index] = 7 }
            return (room.count, 0)
        }
        #expect(throws: KeychainError(.dataTooLarge, "")) { try reader.read(-1, isChomped: false) }
        #expect(reads <= Limits.secretBytes / (64 * 1024) + 1)
        let exact = try added(["--stdin"], input: [UInt8](repeating: 1, count: Limits.secretBytes))
        #expect(exact?.count == Limits.secretBytes)
        let run = ToolRun(["item", "add", "--stdin"], input: [UInt8](repeating: 1, count: Limits.secretBytes + 1))
        #expect(run.exitStatus == -25302 & 0xFF && run.errors.hasPrefix("security: errSecDataTooLarge: "))
    }

    @Test func interruptedAndFailingReads() throws {
        var answers: [(Int, Int32)] = [(-1, EINTR), (1, 0), (-1, EINTR), (0, 0)]
        let reader = SecretReader(progress: Progress(Output(descriptor: -1, isTerminal: false))) { _, room in
            let answer = answers.removeFirst()
            if answer.0 > 0 { room[0] = 9 }
            return answer
        }
        #expect(try reader.read(-1, isChomped: false).withUnsafeBytes { Array($0) } == [9])
        let failing = SecretReader(progress: Progress(Output(descriptor: -1, isTerminal: false))) { _, _ in (-1, EIO) }
        #expect(throws: ToolError.self) { try failing.read(-1, isChomped: false) }
    }

    @Test func secretsGoOutAsTheyAre() {
        let keychain = FakeKeychain()
        #expect(ToolRun(["item", "find", "-a", "anna", "--secret"], keychain: keychain).output == Array("s3cret".utf8))
        let binary = ["item", "find", "--secret", "--attribute", "gena=hex:00ff"]
        #expect(ToolRun(binary, keychain: keychain).output == [0xFF, 0, 0x0A])
        // A terminal gets a newline, and no bytes that it could interpret as commands.
        let shown = ToolRun(["item", "find", "-a", "anna", "--secret"], keychain: keychain, isTerminal: true)
        #expect(shown.text == "s3cret\n")
        #expect(ToolRun(binary, keychain: keychain, isTerminal: true).text == "0xFF000A\n")
    }

    @Test func outputSurvivesShortWritesAndReportsFailure() throws {
        let taken = Mutex<[UInt8]>([])
        let isInterrupted = Mutex(true)
        let slow = Output(descriptor: 1, isTerminal: false) { _, bytes in
            let fails = isInterrupted.withLock { flag in
                flag.toggle()
                return !flag
            }
            if fails { return (-1, EINTR) }
            taken.withLock { $0.append(bytes[0]) }
            return (1, 0)
        }
        try slow.write("text")
        #expect(taken.withLock { $0 } == Array("text".utf8))
        let full = Output(descriptor: 1, isTerminal: false) { _, _ in (-1, ENOSPC) }
        #expect(throws: OutputError.self) { try full.write("text") }
    }
}
