import ChatelaineModel
import Foundation
import Testing

@testable import CodeSignatures
@testable import SignatureFormat

/// The scanner accepts only JSON with a single meaning, and texts of bytes.
struct JSONScannerTests {
    private func defect(_ text: String) -> SignatureDefect? { defect(Array(text.utf8)) }

    private func defect(_ bytes: [UInt8]) -> SignatureDefect? {
        do throws(SignatureFlaw) {
            _ = try JSONScanner.scan(bytes)
            return nil
        } catch {
            return error.defect
        }
    }

    @Test func valuesAreWhatTheySay() throws {
        let text = " { \"a\" : [ 1 , -2 , 3.5e+2, true, false, null, \"x\\u00e9\\ud83d\\ude00\\n\\/\" ] , \"b\":{} } "
        let object = try #require(try JSONScanner.scan(Array(text.utf8)).object)
        #expect(
            object["a"]?.value
                == .array([
                    .integer(1), .integer(-2), .number("3.5e+2"), .bool(true), .bool(false), .null,
                    .string("x\u{E9}\u{1F600}\n/"),
                ]))
        #expect(object["b"]?.value == .object(JSONObject()))
        #expect(object["c"] == nil)
        let range = try #require(object["b"]?.range)
        #expect(String(decoding: Array(text.utf8)[range], as: UTF8.self) == "{}")
    }

    @Test(arguments: [
        "", " ", "{", "}", "[", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "[1,]", "[1 2]", "{a:1}", "'a'", "\"a", "\"\\x\"",
        "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\u{1}\"", "01", "+1", "1.", ".5", "1e",
        "--1",
        "tru", "nul", "NaN", "Infinity", "1 2", "{} x", "{}{}", "\u{FEFF}{}", "// a\n1",
    ])
    func otherTextIsNone(_ text: String) { #expect(defect(text) == .malformed) }

    @Test func onlyUTF8IsText() {
        #expect(defect([0x22, 0x61, 0x22]) == nil)
        for bytes in [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0xAF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] as [[UInt8]] {
            #expect(defect(bytes) == .malformed)
        }
    }

    @Test func namesAreComparedByTheirBytes() {
        #expect(defect("{\"a\":1,\"b\":2}") == nil)
        #expect(defect("{\"a\":1,\"a\":2}") == .duplicateName)
        #expect(defect("{\"a\":1,\"\\u0061\":2}") == .duplicateName)
        #expect(defect("[{\"a\":{\"b\":1,\"b\":1}}]") == .duplicateName)
        // The Kelvin sign looks like K, and Swift compares them as equal.
        #expect(defect("{\"K\":1,\"\u{212A}\":2}") == nil)
        #expect(defect("[{\"a\":1},{\"a\":2}]") == nil)
    }

    @Test func nestingHasALimit() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(defect(nested(SignatureLimits.maximumDepth)) == nil)
        #expect(defect(nested(SignatureLimits.maximumDepth + 1)) == .tooLarge)
        #expect(defect(String(repeating: "[", count: 100_000)) == .tooLarge)
        #expect(defect(String(repeating: "{\"a\":", count: 100_000)) == .tooLarge)
    }

    @Test func whatIsWrittenIsReadAgain() throws {
        let value = JSONValue.object(
            JSONObject(members: [
                .init(name: "a\"\\\n", value: .array([.integer(.min), .null, .bool(false), .number("1e5")])),
                .init(name: "\u{E9}\0", value: .string("\u{1F600}/")),
            ]))
        #expect(try JSONScanner.scan(value.encoded) == value)
    }

    @Test func base64HasOneTextForEachValue() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
            #expect(String(decoding: Base64.standard.encode(bytes), as: UTF8.self) == Data(bytes).base64EncodedString())
            for base in [Base64.standard, .url] { #expect(base.decode(base.encode(bytes)) == bytes) }
        }
        for text in ["A", "AB=", "AB", "AB==", "AA=", "AA===", "A A=", "AA\n", "+/8", "====", "AAA=A", "A-=="] {
            let isStandard = ["AA=="].contains(text)
            #expect((Base64.standard.decode(text.utf8) != nil) == isStandard, "\(text)")
        }
        for text in ["A", "AB", "AA==", "+/8", "AA ", "A.A"] { #expect(Base64.url.decode(text.utf8) == nil, "\(text)") }
        #expect(Base64.url.decode("-_8".utf8) == [0xFB, 0xFF])
    }
}
