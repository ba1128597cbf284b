import ChatelaineModel
import Testing

@testable import ChatelaineIPC

/// The line that tells why a call failed.
struct FailureReportTests {
    @Test func aLineIsOneLine() {
        let line = FailureReport.line("SecItemAdd", KeychainError(.param, "a\nb\tc\u{1B}[31m\u{9B}d\u{2028}e\u{7F}"))
        #expect(line == "SecItemAdd: errSecParam (-50): a b c [31m d e \n")
        let unknown = FailureReport.line("SecItemAdd", KeychainError(Status(rawValue: 123_456), "why"))
        #expect(unknown == "SecItemAdd: OSStatus 123456 (123456): why\n")
    }

    /// As long as a pipe keeps together, and no half character at its end.
    @Test(arguments: ["x", "\u{E4}", "\u{1F511}"])
    func aLineHasALimit(_ character: String) {
        let line = FailureReport.line("SecItemAdd", KeychainError(.param, String(repeating: character, count: 5000)))
        #expect(line.utf8.count <= FailureReport.lineBytes && line.utf8.count > FailureReport.lineBytes - 4)
        #expect(line.hasSuffix(character + "\n"))
    }
}
