import TestSupport
import Testing

/// Chatelaine works in programs that have any cryptographic library of their own (decision 16).
@Suite struct ForeignLibraryTests {
    /// Outside its own symbol scope, libcrypto would call the program's functions instead of its own, and crash.
    @Test func aProgramKeepsItsLibraryAndWeOurs() throws {
        let run = try CommandRun([BuildFolder.program("foreign-crypto-probe")])
        #expect(run.end == .exited(0))
        #expect(run.output == "works, 0 calls went astray\n")
    }
}
