import CChatelaine
import ChatelaineModel
import ChatelaineSystem
import Foundation
import TestSupport
import Testing

@testable import ChatelaineIPC

/// Tests of programs that closed 0, 1 and 2 and still read or write them.
///
/// Each test is a process of its own.
struct StandardDescriptorTests {
    /// Whether none of the numbers is a socket or a file in memory.
    ///
    /// A test cannot require more: libdispatch, which runs it, makes timers at any time, and a timer takes the lowest
    /// free number.
    private static var areFree: Bool {
        (0...2).allSatisfy { (number: Int32) in
            var status = stat()
            guard fstat(number, &status) == 0 else { return true }
            return ![S_IFSOCK, S_IFREG].contains(status.st_mode & S_IFMT)
        }
    }

    private static func closeAll() { for number: Int32 in 0...2 { close(number) } }

    /// The program's output must not go to the daemon, and the daemon's replies must not be its input.
    @Test func noSocketOfOursTakesTheirPlace() async {
        await #expect(processExitsWith: .success) {
            let daemon = try FakeDaemon()
            let client = daemon.makeClient()
            Self.closeAll()
            try client.delete(KeychainClientTests.query)
            guard Self.areFree, write(STDOUT_FILENO, "x", 1) < 0 else { exit(1) }
            try client.delete(KeychainClientTests.query)
            exit(daemon.requests.count == 2 ? 0 : 2)
        }
    }

    @Test func nothingThatStaysOpenDoes() async {
        await #expect(processExitsWith: .success) {
            Self.closeAll()
            var pair: [Int32] = [-1, -1]
            guard chatelaine_unix_socketpair(&pair) == 0 else { exit(1) }
            let numbers =
                pair + [chatelaine_unix_socket(), chatelaine_memfd("test"), chatelaine_pidfd_open(getpid())]
            guard Self.areFree else { exit(2) }
            for number in numbers {
                guard number > STDERR_FILENO, fcntl(number, F_GETFD) & FD_CLOEXEC != 0 else { exit(3) }
            }
            exit(0)
        }
    }

    /// Otherwise what the program prints would be written over the beginning of a keychain.
    @Test func noKeychainThatIsLentDoes() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let path = folder("ci.keychain-db")
            TemporaryFolder.write(path, Array("content".utf8))
            Self.closeAll()
            let files = [try OpenedKeychainFile(path), try OpenedKeychainFile(new: path + "-new")]
            let areAbove = files.allSatisfy { file in
                file.withDescriptors { $0.allSatisfy { $0 > STDERR_FILENO && fcntl($0, F_GETFD) & FD_CLOEXEC != 0 } }
            }
            guard areAbove else { exit(1) }
            guard Self.areFree, write(STDOUT_FILENO, "x", 1) < 0 else { exit(2) }
            exit(TemporaryFolder.read(path) == Array("content".utf8) ? 0 : 3)
        }
    }

    @Test func noFolderOfOursDoes() async {
        await #expect(processExitsWith: .success) {
            Self.closeAll()
            let folder = try FolderCalls.system.open("/")
            let file = try FileCalls.system.open("/", in: AT_FDCWD, .look)
            exit(folder > STDERR_FILENO && file.number > STDERR_FILENO ? 0 : 1)
        }
    }

    /// Our own programs reserve the numbers, and reads and writes still fail.
    @Test func reservedOnesFailAsClosedOnesDo() async {
        await #expect(processExitsWith: .success) {
            Self.closeAll()
            guard chatelaine_reserve_standard_descriptors() == 0 else { exit(1) }
            guard (0...2).allSatisfy({ fcntl(Int32($0), F_GETFD) >= 0 }), fcntl(3, F_GETFD) != 0 else { exit(2) }
            var byte: UInt8 = 0
            guard read(STDIN_FILENO, &byte, 1) < 0 else { exit(3) }
            for number in [STDOUT_FILENO, STDERR_FILENO] {
                guard write(number, "x", 1) < 0 else { exit(4) }
            }
            // An open descriptor stays as it is.
            let file = open("/dev/zero", O_RDONLY)
            guard dup2(file, STDIN_FILENO) == STDIN_FILENO, chatelaine_reserve_standard_descriptors() == 0,
                read(STDIN_FILENO, &byte, 1) == 1
            else { exit(5) }
            exit(0)
        }
    }
}
