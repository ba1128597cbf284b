import ChatelaineModel
import Testing

/// Tests of keychain names, which are names of folders beside other files.
@Suite struct KeychainNameTests {
    @Test(arguments: ["default", "a", "0", "work-2026", "a_b", String(repeating: "x", count: 64)])
    func namesOfKeychains(text: String) { #expect(KeychainName(text)?.text == text) }

    @Test(arguments: [
        "", ".", "..", "a.b", "default.snapshots", "default.mark", "a/b", "/", "-a", "_a", "A", "Default", "a b", "ä",
        "a\0",
        "a\n", "~", String(repeating: "x", count: 65),
    ])
    func whatIsNone(text: String) { #expect(KeychainName(text) == nil) }

    @Test func theDefaultOneHasAName() { #expect(KeychainName("default") == .default) }
}
