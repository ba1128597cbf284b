import Testing

@testable import SecurityTool

/// Tests of the arguments of `security app sign` and `security app identity create`.
///
/// The work itself is tested where the signing programs are built.
struct AppSignTests {
    private let signing = ["app", "sign", "/tmp", "--identifier", "TEAM123456.one", "--identity", "/nowhere"]

    @Test func whatMakesNoSenseIsRefused() {
        for words in [
            ["app", "sign"], ["app", "sign", "/tmp"],
            ["app", "sign", "/tmp", "--identifier", "TEAM123456.one"],
            ["app", "sign", "/tmp", "--identity", "/nowhere"], signing + ["--days", "0"],
            signing + ["--days", "x"],
            signing + ["--days", "36501"], signing + ["--output", ""], signing + ["--entitlements", ""],
            signing + ["--identity", ""], signing + ["--profile", ""], ["app", "profile"],
            ["app", "profile", "/tmp/p"],
            ["app", "profile", "/tmp/p", "--identity", "/nowhere"],
            ["app", "profile", "/tmp/p", "--signer", "/nowhere"],
            ["app", "profile", "/tmp/p", "--identity", "/nowhere", "--signer", "/nowhere", "--days", "0"],
            ["app", "identity"], ["app", "identity", "create", "/tmp"],
            ["app", "identity", "create", "--team", "team", "--common-name", "Ada", "/tmp"],
        ] {
            let run = ToolRun(words)
            #expect(run.exitStatus == ExitStatus.usage && run.errors.contains("Usage: security app"), "\(words)")
        }
    }

    @Test func theProgramHasToBeThere() {
        let run = ToolRun(["app", "sign", "/nowhere", "--identifier", "TEAM123456.one", "--identity", "/nowhere"])
        #expect(run.exitStatus == ExitStatus.failure && run.errors.contains("/nowhere: No such file"))
    }
}
