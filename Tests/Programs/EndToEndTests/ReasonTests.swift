import CChatelaine
import Foundation
import Testing

/// Tests of the reason for a failure: on the program's standard error, in the daemon's log, and in `security doctor`
/// (behaviour/errors.md, 15 to 19).
@Suite struct ReasonTests {
    /// The standard error of a program, in a file.
    private final class Complaints {
        let path: String
        let descriptor: Int32

        init(in folder: String) throws {
            path = "\(folder)/complaints"
            descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            try #require(descriptor >= 0)
        }

        deinit { close(descriptor) }

        var lines: [String] {
            get throws {
                let text = try String(contentsOfFile: path, encoding: .utf8)
                #expect(text.isEmpty || text.hasSuffix("\n"))
                return text.split(separator: "\n").map { String($0) }
            }
        }
    }

    private static let debugging = ["CHATELAINE_DEBUG": "1"]
    private static var mail: [String: Any] { ["class": "genp", "svce": "private-service", "acct": "private-account"] }

    @Test func everyCallSaysWhyItFailed() throws {
        let household = try Household()
        defer { household.dismiss() }
        let complaints = try Complaints(in: household.home)
        let probe = try ProbeProcess(
            try household.application("keeper"), in: household, variables: Self.debugging,
            complaints: complaints.descriptor)
        let secret = ["v_Data": PasswordTests.data("private-secret")] as [String: Any]
        func with(_ more: [String: Any]) -> [String: Any] { Self.mail.merging(more) { $1 } }
        let calls: [(answer: ProbeAnswer, expected: String)] = try [
            (probe.call("add", with(secret)), ""), (probe.call("find", Self.mail), ""),
            (probe.call("add", with(secret)), "SecItemAdd: errSecDuplicateItem (-25299): "),
            (probe.call("add", with(["v_Data": 7])), "SecItemAdd: errSecParam (-50): kSecValueData must be data"),
            (
                probe.call("find", with(["m_Limit": "private-limit"])),
                "SecItemCopyMatching: errSecParam (-50): kSecMatchLimit must be "
            ),
            (
                probe.call("find", with(["srvr": "private-server"])),
                "SecItemCopyMatching: errSecNoSuchAttr (-25303): kSecAttrServer is no attribute of kSecClassGenericPassword"
            ),
            (
                probe.call("find", with(["agrp": "private-group"])),
                "SecItemCopyMatching: errSecMissingEntitlement (-34018): "
            ),
            (
                probe.call("update", Self.mail, change: ["r_Data": true]),
                "SecItemUpdate: errSecNoSuchAttr (-25303): an update changes attributes and kSecValueData, not kSecReturnData"
            ),
            (
                probe.call("delete", ["class": "genp", "svce": "private-nothing"]),
                "SecItemDelete: errSecItemNotFound (-25300): "
            ),
        ]
        let expected = calls.map(\.expected).filter { !$0.isEmpty }
        #expect(calls.map { $0.answer.status == 0 } == calls.map(\.expected.isEmpty))
        let lines = try complaints.lines
        #expect(lines.count == expected.count)
        for (line, beginning) in zip(lines, expected) { #expect(line.hasPrefix(beginning), "\(line)") }
        #expect(!lines.joined().contains("private-"), "an attribute value was shown")
        // The daemon that the program started also logs at the debug level, and shows no value either.
        let log = try household.log()
        #expect(log.contains { $0.contains("delete failed") && $0.contains("errSecItemNotFound") })
        #expect(!log.joined().contains("private-"))
    }

    @Test(arguments: [nil, "0", "yes", ""] as [String?])
    func withoutTheVariableNothingIsSaid(_ value: String?) throws {
        let household = try Household()
        defer { household.dismiss() }
        let complaints = try Complaints(in: household.home)
        let probe = try ProbeProcess(
            try household.application("keeper"), in: household,
            variables: value.map { ["CHATELAINE_DEBUG": $0] } ?? [:], complaints: complaints.descriptor)
        #expect(try probe.call("find", ["acct": "a"]).status == -50)
        #expect(try probe.call("find", Self.mail).status == -25300)
        #expect(try complaints.lines.isEmpty)
        #expect(try !household.log().contains { $0.contains("failed") })
    }

    /// Each line is written at once, so the lines of several threads do not mix.
    @Test func linesOfThreadsStayWhole() throws {
        let household = try Household()
        defer { household.dismiss() }
        let complaints = try Complaints(in: household.home)
        let probe = try ProbeProcess(
            try household.application("keeper"), in: household, variables: Self.debugging,
            complaints: complaints.descriptor)
        #expect(try probe.ask(["call": "mistakes", "count": 8, "rounds": 200]).status == -50)
        let lines = try complaints.lines
        #expect(lines.count == 1600)
        #expect(Set(lines).count == 1, "\(Set(lines))")
    }

    /// The library leaves alone a descriptor 2 that is not standard error, and a broken one does no harm.
    @Test func standardErrorThatIsNone() throws {
        let household = try Household()
        defer { household.dismiss() }
        let keeper = try household.application("keeper")
        // Descriptor 2 is closed at the start, so a connection to the daemon may get the number.
        let closed = try ProbeProcess(
            keeper, in: household, prefix: ["sh", "-c", "exec \"$0\" 2>&-"], variables: Self.debugging)
        #expect(try closed.call("add", Self.mail).status == 0)
        for _ in 0..<20 {
            #expect(try closed.call("find", Self.mail.merging(["m_Limit": "x"]) { $1 }).status == -50)
            #expect(try closed.call("find", Self.mail).status == 0)
        }
        // Open for reading only.
        let file = "\(household.home)/file"
        try Data("content\n".utf8).write(to: URL(fileURLWithPath: file))
        let reading = try ProbeProcess(
            keeper, in: household, prefix: ["sh", "-c", "exec \"$0\" 2<'\(file)'"], variables: Self.debugging)
        #expect(try reading.call("find", ["acct": "a"]).status == -50)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "content\n")
        // A pipe without a reader would otherwise end the process.
        var ends: [Int32] = [-1, -1]
        try #require(chatelaine_unix_socketpair(&ends) == 0)
        let broken = try ProbeProcess(keeper, in: household, variables: Self.debugging, complaints: ends[0])
        close(ends[1])
        for _ in 0..<3 { #expect(try broken.call("find", ["acct": "a"]).status == -50) }
        #expect(try broken.call("find", Self.mail).status == 0)
        close(ends[0])
    }

    /// A rebuilt program gets the reason on standard error, and the log and the doctor have it too.
    @Test func aRebuiltProgramIsToldOf() throws {
        guard Privilege.isThere() else { return }
        let household = try Household(uid: geteuid() == 0 ? Privilege.user(17) : geteuid())
        defer { household.dismiss() }
        let keeper = try household.application("keeper")
        #expect(try household.probe().call("add", Self.mail).status == 0)
        let next = "\(household.home)/next"
        try household.copy(keeper, to: next)
        try #require(
            try Program(["sh", "-c", "printf 'rebuilt' >> \"$0\"", next], environment: household.variables).finish()
                == 0)
        try #require(rename(next, keeper) == 0)

        let complaints = try Complaints(in: household.home)
        let rebuilt = try ProbeProcess(
            keeper, in: household, variables: Self.debugging, complaints: complaints.descriptor)
        for _ in 0..<50 { #expect(try rebuilt.call("find", Self.mail).status == -25293) }
        let lines = try complaints.lines
        #expect(lines.count == 50 && Set(lines).count == 1)
        #expect(lines.first?.hasPrefix("SecItemCopyMatching: errSecAuthFailed (-25293): ") == true)
        #expect(lines.first?.contains("`security app accept \(keeper)`") == true)

        let told = try household.log().filter { $0.contains("a program was refused") }
        #expect(told.count == 1, "the others are counted: \(told)")
        let line = try #require(told.first)
        for word in [keeper, "\(rebuilt.pid)", "security app accept \(keeper)", "security app develop \(keeper)"] {
            #expect(line.contains(word), "\(line)")
        }
        #expect(!line.contains("private-"))

        let tool = try household.application("security", of: "security")
        func doctor() throws -> [String] {
            try Program([tool, "doctor"], uid: household.uid, environment: household.variables).rest()
        }
        let findings = try doctor()
        let index = try #require(findings.firstIndex { $0.contains("program.changed") && $0.contains(keeper) })
        #expect(findings[index + 1].contains("security app accept \(keeper)"))
        let report = try household.probe("user").decide("status").dictionary
        #expect(report?["refused.calls"] as? Int == 50 && report?["refused.changed.1"] as? String == keeper)

        #expect(try household.probe("user").decide("accept", keeper).status == 0)
        #expect(try !doctor().contains { $0.contains("program.changed") })
        #expect(try rebuilt.call("find", Self.mail).status == 0)
    }

    @Test func aForeignGroupIsToldOf() throws {
        let household = try Household()
        defer { household.dismiss() }
        let probe = try household.probe()
        for _ in 0..<5 {
            #expect(try probe.call("find", Self.mail.merging(["agrp": "private-group"]) { $1 }).status == -34018)
        }
        let told = try household.log().filter { $0.contains("a program was refused") }
        #expect(told.count == 1 && told[0].contains("kSecAttrAccessGroup") && told[0].contains("/keeper"))
        #expect(!told[0].contains("private-"))
    }
}
