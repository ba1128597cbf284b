import Testing

@testable import ChatelaineModel

/// Tests of bytes written as hexadecimal digits and read again.
struct HexadecimalTests {
    @Test func thereAndBack() {
        #expect(Hexadecimal.text(of: [0, 255, 160]) == "00ffa0")
        #expect(Hexadecimal.bytes(of: "00fFA0".utf8) == [0, 255, 160])
        #expect(Hexadecimal.bytes(of: "".utf8) == [])
    }

    @Test(arguments: ["0", "0g", "é", " 00", "00 ", "0x00", "000"])
    func nothingElse(text: String) {
        #expect(Hexadecimal.bytes(of: text.utf8) == nil)
    }

    @Test func thirtyTwoBytesAreSixtyFourDigits() {
        #expect(
            Bytes32(hexadecimal: String(repeating: "aB", count: 32).utf8)?.array == [UInt8](repeating: 0xab, count: 32))
        #expect(Bytes32(hexadecimal: String(repeating: "ab", count: 31).utf8) == nil)
        #expect(Bytes32(hexadecimal: String(repeating: "ab", count: 33).utf8) == nil)
    }
}
