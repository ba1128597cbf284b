import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import SecurityTool

/// Tests of the requests of `verify-cert` to the keychain.
///
/// No certificate is evaluated here.
struct VerifyVerbTests {
    private let keychain = FakeKeychain()
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try Data([0x30, 0]).write(to: URL(fileURLWithPath: "\(folder.path)/leaf"))
    }

    private func question(_ words: String...) -> TrustQuestion? {
        keychain.forget()
        let run = ToolRun(["verify-cert", "-c", "\(folder.path)/leaf"] + words, keychain: keychain)
        guard case .judged(let question)? = keychain.last else { return nil }
        #expect(run.exitStatus == 1)
        return question
    }

    @Test func serversAreAskedUnlessItIsSaidOtherwise() {
        #expect(question()?.allowsFetching == true)
        #expect(question("-L")?.allowsFetching == false)
        #expect(question("-L", "-R", "ocsp")?.allowsFetching == false)
    }

    @Test func methodsOfRevocationAddUp() {
        func flags(_ words: String...) -> RevocationFlags? {
            let given = words.flatMap { ["-R", $0] }
            keychain.forget()
            _ = ToolRun(["verify-cert", "-c", "\(folder.path)/leaf"] + given, keychain: keychain)
            guard case .judged(let question)? = keychain.last else { return nil }
            return question.policies.first { $0.purpose == .revocation }?.revocation
        }
        #expect(question()?.policies == [TrustPolicy(.basic)])
        #expect(flags("ocsp") == [.ocsp])
        #expect(flags("ocsp", "crl") == [.ocsp, .lists])
        #expect(flags("require") == [.ocsp, .lists, .requirePositiveResponse])
        #expect(flags("ocsp", "offline", "require") == [.ocsp, .lists, .noNetwork, .requirePositiveResponse])
        #expect(flags("mail") == nil)
    }

    /// The verb does not fetch a server's own certificates, and contradictory options are wrong usage.
    @Test func whatIsNotThereIsSaid() {
        let server = ToolRun(["verify-cert", "https://example.com"], keychain: keychain)
        #expect(server.exitStatus == 1 && server.errors.contains("s_client"), "\(server.errors)")
        #expect(
            ToolRun(["verify-cert", "-c", "\(folder.path)/leaf", "-k", "a", "-N"], keychain: keychain).exitStatus == 2)
        #expect(
            ToolRun(["verify-cert", "-c", "\(folder.path)/leaf", "-k", "a", "-n"], keychain: keychain).exitStatus == 2)
        #expect(
            ToolRun(["verify-cert", "-n", "-c", "\(folder.path)/leaf", "-k", "a"], keychain: keychain).exitStatus == 2)
        #expect(ToolRun(["verify-cert"], keychain: keychain).exitStatus == 2)
    }

    @Test func aNameMayLack() {
        #expect(question("-p", "ssl", "-n", "example.com")?.policies == [TrustPolicy(.ssl, name: "example.com")])
        #expect(question("-p", "ssl", "-n")?.policies == [TrustPolicy(.ssl)])
        #expect(question("-n", "-p", "ssl")?.policies == [TrustPolicy(.ssl)])
        let middle = question("-p", "ssl", "-n", "-L")
        #expect(middle?.policies == [TrustPolicy(.ssl)] && middle?.allowsFetching == false)
        #expect(question("-p", "ssl", "-n-odd.example.com")?.policies == [TrustPolicy(.ssl, name: "-odd.example.com")])
    }

    /// A name that no policy checks is refused, since it would seem to be verified.
    @Test func aNameIsLookedAt() {
        #expect(question("-s", "example.com")?.policies == [TrustPolicy(.ssl, name: "example.com")])
        #expect(question("-e", "ada@example.com")?.policies == [TrustPolicy(.smime, name: "ada@example.com")])
        #expect(question("-p", "eap", "-s", "example.com")?.policies == [TrustPolicy(.eap, name: "example.com")])
        for words in [["-n", "example.com"], ["-p", "basic", "-s", "example.com"], ["-p", "codeSign", "-e", "a@b"]] {
            keychain.forget()
            let run = ToolRun(["verify-cert", "-c", "\(folder.path)/leaf"] + words, keychain: keychain)
            #expect(run.exitStatus == 2 && keychain.last == nil, "\(words)")
        }
    }
}
