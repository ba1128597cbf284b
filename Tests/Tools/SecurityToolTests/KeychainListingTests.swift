import Testing

@testable import SecurityTool

/// The lines that scripts read, byte for byte.
@Suite struct KeychainListingTests {
    @Test func fourBlanksAndTheQuotedPath() {
        #expect(
            KeychainListing.text(["/home/a/.local/share/chatelaine/keychains/login.keychain-db", "/tmp/a b"])
                == """
                    "/home/a/.local/share/chatelaine/keychains/login.keychain-db"
                    "/tmp/a b"

                """)
        #expect(KeychainListing.text(["/x"]) == "    \"/x\"\n")
        #expect(KeychainListing.text([]).isEmpty)
    }

    /// No path repaints a screen, or makes two lines of one.
    @Test func aPathIsOneLine() {
        #expect(KeychainListing.text(["/a\nb\u{1B}[2J"]) == "    \"/a\\nb\\u{1b}[2J\"\n")
    }
}
