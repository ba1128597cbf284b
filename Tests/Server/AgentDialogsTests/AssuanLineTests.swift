import ChatelaineMemory
import Testing

@testable import AgentDialogs

/// Lines of a pinentry are read as Assuan defines them.
@Suite struct AssuanLineTests {
    private func line(_ text: String) -> AssuanLine { Array(text.utf8).withUnsafeBytes { AssuanLine($0) } }

    private func data(_ text: String, limit: Int = 100) -> String? {
        var data = SecretBuffer()
        let isRight = Array(text.utf8).withUnsafeBytes { AssuanLine.append($0, to: &data, limit: limit) }
        return isRight ? data.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } : nil
    }

    @Test func kinds() {
        #expect(line("OK") == .ok && line("OK Pleased to meet you") == .ok && line("OKAY") == .other)
        #expect(line("ERR 83886179 Operation cancelled <Pinentry>") == .error(AssuanLine.Number.cancelled))
        #expect(line("ERR 83886194 Not confirmed") == .error(AssuanLine.Number.notConfirmed))
        #expect(line("ERR 83886142 Timeout") == .error(AssuanLine.Number.timeout))
        #expect(line("D secret") == .data && line("D ") == .data && line("D") == .other)
        #expect(line("") == .remark && line("# words") == .remark && line("S PIN_REPEATED") == .remark)
        #expect(line("INQUIRE QUALITY x") == .other && line("ERR 99999999999999999999") != .ok)
    }

    @Test func dataIsDecoded() {
        #expect(data("D ab%25c%0Ad%0d") == "ab%c\nd\r")
        #expect(data("D ") == "")
        #expect(data("D ä%C3%A4") == "ää")
        for text in ["D %", "D %2", "D %zz", "D %2g"] { #expect(data(text) == nil, "\(text)") }
        #expect(data("D abcd", limit: 4) == "abcd" && data("D abcde", limit: 4) == nil)
    }
}
