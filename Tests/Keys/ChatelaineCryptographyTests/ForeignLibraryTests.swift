import TestSupport
import Testing

/// Programs that have a cryptographic library of their own, whatever it is (decision 16).
@Suite struct ForeignLibraryTests {
    /// Without a scope of its own libcrypto calls the program's functions instead of its own, and crashes.
    @Test func aProgramKeepsItsLibraryAndWeOurs() throws {
        let run = try CommandRun([BuildFolder.program("foreign-crypto-probe")])
        #expect(run.end == .exited(0))
        #expect(run.output == "works, 0 calls went astray\n")
    }
}
