import ChatelaineMemory
import ChatelaineModel
import Testing

@testable import KeyFormats

/// Each Base64 text has only one reading.
struct Base64TextTests {
    private func text(_ bytes: [UInt8], lineLength: Int? = nil) -> String {
        bytes.withUnsafeBytes { Base64Text.encoded($0, lineLength: lineLength) }
            .withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    private func bytes(_ text: String) -> [UInt8]? {
        Array(text.utf8).withUnsafeBytes { try? Base64Text.decoded($0) }?.withUnsafeBytes { [UInt8]($0) }
    }

    @Test func whatIsWrittenReadsTheSame() {
        #expect(
            ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map { text(Array($0.utf8)) } == [
                "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy",
            ])
        for count in 0..<200 {
            let some = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
            #expect(bytes(text(some)) == some && bytes(text(some, lineLength: 64)) == some)
            #expect(text(some, lineLength: 64).split(separator: "\n").allSatisfy { $0.utf8.count <= 64 })
        }
    }

    @Test(arguments: ["Zg=", "Zg", "Zh==", "Zg==Zg==", "Z", "====", "Zm9v!", "Zm9v=", "Zg===", "Zm8=\u{0}"])
    func nothingElseIsRead(_ text: String) { #expect(bytes(text) == nil) }
}
