import Testing

@testable import ChatelaineModel

/// Tests of the reason that a program gives for a question, on its way to the daemon.
struct OperationPromptTests {
    private func prompt(_ text: String) throws -> OperationPrompt? {
        try QueryParser.query([("class", .text("genp")), ("u_OpPrompt", .text(text))], for: .find).prompt
    }

    @Test func aLongOneIsCutBetweenCharacters() throws {
        #expect(try prompt("to pay")?.text == "to pay")
        #expect(try prompt("") == nil)
        let fitting = String(repeating: "x", count: Limits.promptBytes)
        #expect(try prompt(fitting)?.text == fitting)
        #expect(try prompt(fitting + "y")?.text == fitting)
        // Each character has three bytes, and a character that fits only in part is dropped.
        let wide = try #require(try prompt(String(repeating: "\u{20AC}", count: 1 << 20)))
        #expect(wide.text == String(repeating: "\u{20AC}", count: Limits.promptBytes / 3))
    }

    @Test func aLongerOneIsNoMessage() throws {
        var query = ItemQuery(itemClass: .genericPassword)
        query.prompt = OperationPrompt(String(repeating: "x", count: Limits.promptBytes))
        var writer = CBORWriter()
        query.encode(to: &writer)
        let bytes = writer.finish().withUnsafeBytes { [UInt8]($0) }
        func decoded(_ bytes: [UInt8]) throws -> ItemQuery {
            try bytes.withUnsafeBytes {
                var reader = CBORReader($0)
                return try ItemQuery(from: &reader)
            }
        }
        #expect(try decoded(bytes).prompt == query.prompt)
        // Two bytes of the text's head hold its length, and the text is the last field.
        var longer = bytes + [UInt8(ascii: "x")]
        longer[bytes.count - Limits.promptBytes - 1] += 1
        #expect(throws: CBORError.limitExceeded) { try decoded(longer) }
    }
}
