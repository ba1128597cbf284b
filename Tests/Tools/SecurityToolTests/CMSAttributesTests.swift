import Testing

@testable import SecurityTool

/// Tests that the signed attributes belong to the message, whatever formatd says.
struct CMSAttributesTests {
    private static let digest = [UInt8](0..<32)
    private static let name: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9]
    private static let contentType = element(0x30, name + [3] + element(0x31, [0x06, 3, 0x2A, 3, 4]))
    private static let messageDigest = element(0x30, name + [4] + element(0x31, element(0x04, digest)))

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag] + (content.count < 128 ? [UInt8(content.count)] : [0x81, UInt8(content.count)]) + content
    }

    private func areAttributes(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { CMSAttributes.are($0, of: Self.digest) }
    }

    @Test func attributesOfTheContentAreSigned() {
        #expect(areAttributes(Self.element(0x31, Self.messageDigest)))
        #expect(areAttributes(Self.element(0x31, Self.contentType + Self.messageDigest)))
        let long = Self.element(0x30, Self.name + [5] + Self.element(0x31, [UInt8](repeating: 0, count: 60)))
        #expect(areAttributes(Self.element(0x31, long + Self.contentType + Self.messageDigest)))
    }

    @Test func nothingElseIs() {
        let whole = Self.element(0x31, Self.contentType + Self.messageDigest)
        #expect(!areAttributes([]))
        // A certificate's body is a sequence, and an extension of it may hold the digest.
        #expect(!areAttributes(Self.element(0x30, Self.contentType + Self.messageDigest)))
        #expect(!areAttributes(Self.element(0x31, Self.contentType)))
        #expect(!areAttributes(Self.element(0x31, Self.element(0x30, Self.messageDigest))))
        #expect(!areAttributes(whole + [0]))
        for count in whole.indices { #expect(!areAttributes(Array(whole[..<count]))) }
        // Every byte counts except those of the other attribute's value.
        let own = whole.count - Self.messageDigest.count
        for index in [0, 1] + Array(own..<whole.count) {
            var changed = whole
            changed[index] ^= 1
            #expect(!areAttributes(changed), "byte \(index)")
        }
        #expect(!areAttributes([0x31, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]))
    }

    @Test func aNameStaysBetweenItsMarks() {
        #expect(Printable.quotable("Anna Bell") == "Anna Bell")
        #expect(Printable.quotable(#"a"; b="c\"#) == #"a\"; b=\"c\\"#)
        #expect(Printable.quotable("a”: good; “b\n") == #"a\u{201d}: good; \u{201c}b\n"#)
    }
}
