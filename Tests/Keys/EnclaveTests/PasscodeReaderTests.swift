import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Enclave

@Suite struct PasscodeReaderTests {
    private func read(_ descriptor: Int32, patience: Int32 = 5000) throws -> [UInt8] {
        try PasscodeReader(patience: patience).read(descriptor).withUnsafeBytes { Array($0) }
    }

    @Test(arguments: [1, 4, 100, 1024]) func pipesAreReadToTheirEnd(count: Int) throws {
        // Any bytes: none of them ends it, and none is left out.
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let pipe = try TestPipe(bytes)
        #expect(try read(pipe.reading) == bytes)
        withExtendedLifetime(pipe) {}
    }

    @Test func piecesAreWaitedFor() throws {
        let pipe = try TestPipe(Array("one ".utf8), isEnded: false)
        let writing = fcntl(pipe.writing, F_DUPFD_CLOEXEC, 0)
        pipe.end()
        Thread.detachNewThread {
            usleep(20_000)
            let rest: [UInt8] = Array("two".utf8)
            _ = write(writing, rest, rest.count)
            close(writing)
        }
        #expect(try read(pipe.reading) == Array("one two".utf8))
        withExtendedLifetime(pipe) {}
    }

    @Test func lengthsAreBounded() throws {
        // Whoever writes on and on is not read on and on.
        for (count, isEnded) in [(0, true), (1025, true), (4096, false)] {
            let pipe = try TestPipe([UInt8](repeating: 1, count: count), isEnded: isEnded)
            #expect(failure { _ = try read(pipe.reading) }?.reason.contains("1 to 1024") == true)
            withExtendedLifetime(pipe) {}
        }
    }

    @Test func nobodyIsWaitedForLongerThanThat() throws {
        let silent = try TestPipe(Array("half".utf8), isEnded: false)
        let error = failure { _ = try read(silent.reading, patience: 50) }
        #expect(error?.status == .param && error?.reason.contains("in time") == true)
        withExtendedLifetime(silent) {}
    }

    @Test func otherDescriptorsAreRefused() throws {
        let folder = try TemporaryFolder()
        TemporaryFolder.write(folder("file"), Array("1234".utf8))
        var pair: [Int32] = [-1, -1]
        #expect(chatelaine_unix_socketpair(&pair) == 0)
        let files =
            [
                chatelaine_sealed_memfd("passcode"), open(folder("file"), O_RDONLY), open("/dev/zero", O_RDONLY),
                open(folder.path, O_RDONLY),
            ] + pair
        for file in files + [-1] { #expect(failure { _ = try read(file) }?.status == .param) }
        for file in files { close(file) }
    }
}
