import Glibc
import TestSupport
import Testing

@testable import SecurityTool

/// Tests of the owner and mode of the files that the machine's keychains need.
struct MachineKeychainCheckTests {
    @Test func missingRootsOfTheDistributionAreFound() throws {
        let folder = try TemporaryFolder()
        #expect(SystemRootsCheck(places: [folder("roots"), "/nowhere"]).findings().map(\.level) == [.degraded])
        close(open(folder("roots"), O_CREAT | O_WRONLY, 0o644))
        #expect(SystemRootsCheck(places: ["/nowhere", folder("roots")]).findings().isEmpty)
    }

    @Test func whatOthersMayChangeIsAProblem() throws {
        let folder = try TemporaryFolder()
        let base = folder.path + "/machine"
        let check = MachineKeychainCheck(folder: base, owner: geteuid())
        #expect(check.findings().isEmpty)
        for (name, mode) in [("", 0o755), ("/keychains", 0o755), ("/private", 0o700)] as [(String, mode_t)] {
            try #require(mkdir(base + name, mode) == 0)
        }
        let key = base + "/private/system-key"
        close(open(key, O_CREAT | O_WRONLY, 0o600))
        #expect(check.findings().map(\.level) == [.ok])
        for (path, wrong, right) in [
            (base, 0o777, 0o755), (base + "/keychains", 0o775, 0o755), (base + "/private", 0o750, 0o700),
            (key, 0o640, 0o600),
        ] as [(String, mode_t, mode_t)] {
            try #require(chmod(path, wrong) == 0)
            let findings = check.findings()
            #expect(findings.map(\.level) == [.problem] && findings[0].text.contains(path))
            try #require(chmod(path, right) == 0)
        }
        try #require(link(key, key + "2") == 0)
        #expect(check.findings().map(\.level) == [.problem])
    }
}
