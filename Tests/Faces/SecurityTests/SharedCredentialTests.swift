import CoreFoundation
import Security
import Testing

/// Tests of the passwords that `SecCreateSharedWebCredentialPassword` makes.
struct SharedCredentialTests {
    @Test func passwordsHaveTheirFormAndDiffer() throws {
        let passwords = try (0..<50).map { _ in try #require(SecCreateSharedWebCredentialPassword()) as String }
        #expect(Set(passwords).count == passwords.count)
        #expect(passwords.allSatisfy { $0.wholeMatch(of: /[A-Za-z3-9]{3}(-[A-Za-z3-9]{3}){3}/) != nil })
    }
}
