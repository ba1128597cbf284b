import AgentProtocol
import ChatelaineModel
import Glibc
import TestSupport
import Testing

/// A pinentry with only two buttons on a display asks about a changed program, and closing any dialog allows nothing.
@Suite(.enabled(if: geteuid() == 0, "needs root: a pinentry that others can change is not started"))
struct TwoButtonTests {
    private static let ok = "OK"
    private static let notConfirmed = "ERR 83886194 Not confirmed"
    private static let cancelled = "ERR 83886179 Operation cancelled"
    private static let timedOut = "ERR 83886142 Timeout"

    /// The reply to a series of answers to confirmations.
    ///
    /// A third button would be an error.
    private func reply(to answers: [String], about grants: [DialogGrant]? = nil) throws -> DialogReply {
        // The folder and all folders above it are root's.
        let folder = try TemporaryFolder(in: "/var/lib", mode: 0o755)
        let cases = answers.enumerated().map { "\($0 + 1)) echo '\($1)';;" }.joined(separator: " ")
        let script = """
            #!/bin/sh
            echo OK
            n=0
            while read -r command rest; do
                case $command in
                GETINFO) echo "D gnome3"; echo OK;;
                CONFIRM) n=$((n + 1)); case $n in \(cases) *) exit;; esac;;
                SETNOTOK) exit;;
                *) echo OK;;
                esac
            done

            """
        TemporaryFolder.write(folder("pinentry"), Array(script.utf8))
        try #require(chmod(folder("pinentry"), 0o755) == 0)
        let agent = try AgentRun(folder("pinentry"), session: ["DISPLAY=:4711"])
        var dialog = Dialog(
            .changedProgram, to: .other, program: "/home/anna/bin/app", assurance: .file, seconds: 120,
            hasPasscode: false)
        dialog.change = DialogChange(
            from: nil, to: try #require(Bytes32([UInt8](repeating: 1, count: 32))), recorded: 0, modified: 0)
        if let grants {
            (dialog.kind, dialog.change) = (.keychainAccess, nil)
            dialog.access = DialogAccess(.changed, DialogProgram(), by: .password)
            dialog.access?.grants = grants
        }
        try agent.show(dialog)
        let reply = try agent.reply()
        agent.end()
        return reply
    }

    @Test func whateverClosesADialogAllowsNothing() throws {
        #expect(try reply(to: [Self.ok]) == .once)
        for closed in [Self.notConfirmed, Self.cancelled] {
            #expect(try reply(to: [closed, Self.ok]) == .everywhere)
            #expect(try reply(to: [closed, Self.notConfirmed]) == .denied)
            #expect(try reply(to: [closed, Self.cancelled]) == .denied)
            #expect(try reply(to: [closed, Self.timedOut]) == .timedOut)
        }
        #expect(try reply(to: [Self.timedOut]) == .timedOut)
        #expect(try reply(to: ["ERR 1 General error"]) == .failed)
    }

    /// For an item of a file keychain, each answer has its own dialog, and closing the last one means refusal.
    @Test func everyAnswerHasADialogOfItsOwn() throws {
        let all = DialogGrant.allCases
        #expect(try reply(to: [Self.ok], about: all) == .once)
        for closed in [Self.notConfirmed, Self.cancelled] {
            #expect(try reply(to: [closed, Self.ok], about: all) == .always)
            #expect(try reply(to: [closed, closed, Self.ok], about: all) == .everywhere)
            #expect(try reply(to: [closed, closed, closed], about: all) == .denied)
            #expect(try reply(to: [closed, closed], about: [.once, .always]) == .denied)
            #expect(try reply(to: [closed, Self.timedOut], about: all) == .timedOut)
        }
    }
}
