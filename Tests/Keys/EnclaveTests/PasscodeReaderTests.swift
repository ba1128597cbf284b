import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Enclave

/// The custodian reads passcodes within limits of length and time, from pipes and sealed files only.
@Suite struct PasscodeReaderTests {
    private func read(
        _ descriptor: Int32, _ limits: PasswordLimits = .passcode, patience: Int32 = 5000
    ) throws -> [UInt8] {
        var limits = limits
        limits.patienceMilliseconds = patience
        return try PasscodeReader(limits).read(descriptor).withUnsafeBytes { Array($0) }
    }

    @Test(arguments: [1, 4, 100, 1024]) func pipesAreReadToTheirEnd(count: Int) throws {
        // No byte value ends a passcode or is left out.
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
        // The reader stops where a writer sends without end.
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

    /// A program's passcode comes in a sealed memory file.
    ///
    /// It is read from its beginning, wherever its offset is, and without waiting.
    @Test func sealedFilesInMemoryAreReadWhole() throws {
        for count in [1, 4, 1024] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            let file = bytes.withUnsafeBytes { chatelaine_sealed_memfd_holding("passcode", $0.baseAddress, $0.count) }
            defer { close(file) }
            for place in [0, count, 1 << 40] {
                lseek(file, off_t(place), SEEK_SET)
                #expect(try read(file, patience: 0) == bytes)
            }
        }
        for count in [0, 1025, 1 << 20] {
            let bytes = [UInt8](repeating: 1, count: count)
            let file = bytes.withUnsafeBytes { chatelaine_sealed_memfd_holding("passcode", $0.baseAddress, $0.count) }
            defer { close(file) }
            #expect(failure { _ = try read(file) }?.reason.contains("1 to 1024") == true)
        }
    }

    /// A sparse file is as large as a number can be, and costs whoever sends it nothing.
    @Test func theLargestFileIsTooLong() throws {
        // Swift does not see memfd_create(2). `MFD_ALLOW_SEALING`, `F_ADD_SEALS` and all four seals of fcntl(2) follow.
        typealias Maker = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
        let maker = try #require(dlsym(nil, "memfd_create"))
        let file = unsafeBitCast(maker, to: Maker.self)("passcode", 2)
        defer { close(file) }
        try #require(ftruncate(file, off_t.max) == 0 && fcntl(file, 1033, 0xF) == 0)
        try #require(chatelaine_is_sealed_memfd(file) == 1)
        #expect(failure { _ = try read(file) }?.reason.contains("1 to 1024") == true)
    }

    /// Passwords of file keychains may be empty or long. The agent's pipe is emptied meanwhile.
    @Test func passwordsOfKeychainsHaveLimitsOfTheirOwn() throws {
        let most = EnclaveWire.maximumKeychainPasswordBytes
        for count in [0, 1, 1025, most] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            let file = bytes.withUnsafeBytes { chatelaine_sealed_memfd_holding("password", $0.baseAddress, $0.count) }
            defer { close(file) }
            #expect(try read(file, .keychain) == bytes)
        }
        let long = [UInt8](repeating: 1, count: most + 1)
        let file = long.withUnsafeBytes { chatelaine_sealed_memfd_holding("password", $0.baseAddress, $0.count) }
        defer { close(file) }
        #expect(failure { _ = try read(file, .keychain) }?.reason.contains("0 to 1048576") == true)
        let nothing = try TestPipe([])
        #expect(try read(nothing.reading, .keychain) == [])
        for (count, isAccepted) in [(most, true), (most + 1, false)] {
            let pipe = try TestPipe([], isEnded: false)
            let writing = fcntl(pipe.writing, F_DUPFD_CLOEXEC, 0)
            pipe.end()
            let writer = Work {
                let bytes = [UInt8](repeating: 7, count: count)
                defer { close(writing) }
                var sent = 0
                while sent < count {
                    let written = bytes.withUnsafeBytes {
                        write(writing, $0.baseAddress.map { $0 + sent }, count - sent)
                    }
                    guard written > 0 else { return }
                    sent += written
                }
            }
            let password = try? read(pipe.reading, .keychain)
            #expect((password?.count == count) == isAccepted)
            try writer.value()
        }
    }

    @Test func otherDescriptorsAreRefused() throws {
        let folder = try TemporaryFolder()
        TemporaryFolder.write(folder("file"), Array("1234".utf8))
        var pair: [Int32] = [-1, -1]
        #expect(chatelaine_unix_socketpair(&pair) == 0)
        let files =
            [
                chatelaine_memfd("passcode"), chatelaine_sealed_memfd("passcode"), open(folder("file"), O_RDONLY),
                open("/dev/zero", O_RDONLY),
                open(folder.path, O_RDONLY),
            ] + pair
        for file in files + [-1] { #expect(failure { _ = try read(file) }?.status == .param) }
        for file in files { close(file) }
    }
}
