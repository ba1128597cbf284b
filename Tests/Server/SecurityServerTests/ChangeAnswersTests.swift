import CChatelaine
import ChatelaineModel
import Glibc
import TestSupport
import Testing

@testable import CallerIdentity
@testable import SecurityServer

/// An answer about a changed program counts for the process that asked, on each of its connections.
@Suite struct ChangeAnswersTests {
    private let answers = ChangeAnswers()

    private func snapshot(of pid: pid_t) throws -> ExecutableSnapshot {
        try ExecutableSnapshot(
            of: ProcessHandle(
                adopting: chatelaine_pidfd_open(pid), pid: pid, uid: geteuid(), gid: getegid()))
    }

    private func answer(isAdmitted: Bool) throws -> ChangeAnswer {
        let digest = try #require(ExecutableDigest([UInt8](repeating: 1, count: 32)))
        let path = try #require(CanonicalPath("/usr/bin/sleep"))
        let record = ApplicationRecord(path: path, kind: .pinned(digest), since: 0, accepted: nil)
        return ChangeAnswer(change: ProgramChange(record: record, digest: digest, modified: 0), isAdmitted: isAdmitted)
    }

    @Test func itCountsForTheProcess() throws {
        let (first, other) = (
            try ChildProcess(["/usr/bin/sleep", "600"]), try ChildProcess(["/usr/bin/sleep", "600"])
        )
        defer { for child in [first, other] { child.kill() } }
        // Each connection looks at its process anew.
        answers.set(try answer(isAdmitted: true), for: try snapshot(of: first.pid))
        #expect(answers.answer(for: try snapshot(of: first.pid))?.isAdmitted == true)
        #expect(answers.answer(for: try snapshot(of: other.pid)) == nil)
        answers.set(try answer(isAdmitted: false), for: try snapshot(of: first.pid))
        #expect(answers.answer(for: try snapshot(of: first.pid))?.isAdmitted == false)
        answers.set(nil, for: try snapshot(of: first.pid))
        #expect(answers.answer(for: try snapshot(of: first.pid)) == nil)
    }

    /// What the process executes next is another program.
    @Test func itEndsWithTheProgram() throws {
        let (input, output) = (try TestPipe(isEnded: false), try TestPipe(isEnded: false))
        let child = try ChildProcess(
            ["/bin/sh", "-c", "read line; exec sh -c 'echo; read line'"],
            files: [(input.reading, 0), (output.writing, 1)])
        defer { child.kill() }
        let before = try snapshot(of: child.pid)
        answers.set(try answer(isAdmitted: true), for: before)
        #expect(answers.answer(for: before)?.isAdmitted == true)
        try input.send(Array("\n".utf8))
        try until { !output.isEmpty }
        #expect(answers.answer(for: try snapshot(of: child.pid)) == nil)
    }
}
