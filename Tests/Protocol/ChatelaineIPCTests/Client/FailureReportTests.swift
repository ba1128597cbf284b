import ChatelaineModel
import Testing

@testable import ChatelaineIPC

/// Tests of the line that gives the reason for a failed call.
struct FailureReportTests {
    @Test func aLineIsOneLine() {
        let line = FailureReport.line("SecItemAdd", KeychainError(.param, "a\nb\tc\u{1B}[31m\u{9B}d\u{2028}e\u{7F}"))
        #expect(line == "SecItemAdd: errSecParam (-50): a b c [31m d e \n")
        let unknown = FailureReport.line("SecItemAdd", KeychainError(Status(rawValue: 123_456), "why"))
        #expect(unknown == "SecItemAdd: OSStatus 123456 (123456): why\n")
    }

    /// The line fits into one write to a pipe, and does not end within a character.
    @Test(arguments: ["x", "\u{E4}", "\u{1F511}"])
    func aLineHasALimit(_ character: String) {
        let line = FailureReport.line("SecItemAdd", KeychainError(.param, String(repeating: character, count: 5000)))
        #expect(line.utf8.count <= FailureReport.lineBytes && line.utf8.count > FailureReport.lineBytes - 4)
        #expect(line.hasSuffix(character + "\n"))
    }
}
