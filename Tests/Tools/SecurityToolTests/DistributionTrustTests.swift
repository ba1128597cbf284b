import ChatelaineModel
import ChatelaineSystem
import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import ChatelaineTrustSettings
@testable import SecurityTool

/// Tests of the files by which root makes others trust certificates: the machine's, and those for the distribution's
/// tools.
struct DistributionTrustTests {
    private let temporary: TemporaryFolder
    private let folder: String
    private let trust: DistributionTrust

    init() throws {
        temporary = try TemporaryFolder()
        folder = temporary.path + "/above/trust"
        let updater = temporary.path + "/updater"
        try Data("#!/bin/sh\necho told \"$@\" >>\"$0.log\"\n".utf8).write(to: URL(fileURLWithPath: updater))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: updater)
        trust = DistributionTrust(places: [Self.place(folder, sign: updater, tools: [[updater]], ".crt")])
    }

    private static func place(
        _ folder: String, sign: String, tools: [[String]], _ ending: String
    ) -> DistributionTrust.Place {
        var place = DistributionTrust.Place(folder, sign: sign, tools: tools, ending: ending)
        place.owner = geteuid()
        return place
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

    private var times: Int {
        let text = try? String(contentsOfFile: temporary.path + "/updater.log", encoding: .utf8)
        return (text ?? "").split(separator: "\n").count
    }

    /// The folders are first made for their owner alone and then opened to all, whatever the umask is.
    @Test func everybodyReadsWhatIsPublic() throws {
        try PublicFolder(at: folder).write("text", to: "a.pem")
        #expect(try mode(folder) == 0o755 && mode(temporary.path + "/above") == 0o755)
        #expect(try mode(folder + "/a.pem") == 0o644 && names == ["a.pem"])
        // A mode that somebody set by hand stays.
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
        try PublicFolder(at: folder).write("other", to: "a.pem")
        #expect(try mode(folder) == 0o700)
        #expect(try String(contentsOfFile: folder + "/a.pem", encoding: .utf8) == "other")
    }

    @Test func whatCannotBeRemovedIsNoMissingFile() throws {
        #expect(try !PublicFolder(at: folder).remove("a.pem"))
        try PublicFolder(at: folder).write("text", to: "a.pem")
        var calls = FileCalls.system
        calls.unlinkat = { _, _ throws(Errno) in throw .readOnly }
        #expect(throws: KeychainError.self) { try PublicFolder(at: folder, files: calls).remove("a.pem") }
        #expect(throws: KeychainError.self) { try PublicFolder(at: folder, files: calls).write("new", to: "a.pem") }
        var full = FileCalls.system
        full.write = { _, _ throws(Errno) in throw .noSpace }
        #expect(throws: KeychainError.self) { try PublicFolder(at: folder, files: full).write("new", to: "a.pem") }
        #expect(try String(contentsOfFile: folder + "/a.pem", encoding: .utf8) == "text" && names == ["a.pem"])
        #expect(try PublicFolder(at: folder).remove("a.pem") && names.isEmpty)
    }

    @Test func whatIsTakenBackIsToldOnce() throws {
        try trust.add([1])
        try trust.add([2])
        #expect(names.count == 2 && names.allSatisfy { $0.hasSuffix(".crt") } && times == 2)
        #expect(try trust.remove([[1], [2], [3]]) && names.isEmpty && times == 3)
        #expect(try !trust.remove([[1]]) && times == 3)
    }

    /// After a tool has failed, the removed file no longer shows the need to run it.
    ///
    /// So the next call runs it again, whatever that call is about.
    @Test func whatAToolMissedIsTakenBackLater() throws {
        let updater = temporary.path + "/updater"
        let works = try String(contentsOfFile: updater, encoding: .utf8)
        func write(_ text: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: updater))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: updater)
        }
        try trust.add([1])
        try trust.add([2])
        // A failure in one place does not keep a certificate in another.
        let other = Self.place(temporary.path + "/other", sign: temporary.path, tools: [[updater]], ".pem")
        try FileManager.default.createDirectory(atPath: other.folder.path, withIntermediateDirectories: true)
        try Data().write(
            to: URL(fileURLWithPath: other.folder.path + "/" + MachineTrustFolder.name(of: [1], ".pem")))
        let both = DistributionTrust(places: trust.places + [other])
        try write("#!/bin/sh\nexit 3\n")
        for _ in 0..<2 { #expect(throws: ToolError.self) { try both.remove([[1]]) } }
        #expect(names.count { $0.hasSuffix(".crt") } == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.folder.path) == [".chatelaine-removed"])
        try write(works)
        #expect(try both.remove([[1]]) && times == 4)
        #expect(try names.count == 1 && FileManager.default.contentsOfDirectory(atPath: other.folder.path).isEmpty)
        #expect(try !both.remove([[1]]) && times == 4)
        try write("#!/bin/sh\nexit 3\n")
        #expect(throws: ToolError.self) { try trust.remove([[2]]) }
        try write(works)
        #expect(try !trust.remove([[3]]) && times == 5 && names.isEmpty)
    }

    /// Debian's tool reads Debian's folder, even if somebody has made the folders of other distributions.
    @Test func noFolderAloneIsASign() {
        let shared = DistributionTrust.places.filter { $0.tools == [["/usr/sbin/update-ca-certificates"]] }
        #expect(shared.count == 3 && !shared.contains { $0.folder.path.hasPrefix($0.sign) })
    }

    /// The tools on the machine decide where a certificate goes.
    ///
    /// A removal also covers places that were used earlier.
    @Test func theMachineSaysWhichTools() throws {
        let updater = temporary.path + "/updater"
        let anchors = temporary.path + "/source/anchors"
        let first = Self.place(
            anchors, sign: temporary.path + "/source", tools: [["/nowhere/update"], [updater, "extract"]], ".pem")
        let both = DistributionTrust(places: [first] + trust.places)
        try both.add([1])
        #expect(names.count == 1 && times == 1)
        try FileManager.default.createDirectory(atPath: temporary.path + "/source", withIntermediateDirectories: false)
        try both.add([1])
        let written = try FileManager.default.contentsOfDirectory(atPath: anchors)
        #expect(written.count == 1 && written[0].hasSuffix(".pem") && names.count == 1)
        #expect(try String(contentsOfFile: updater + ".log", encoding: .utf8) == "told\ntold extract\n")
        #expect(try both.remove([[1]]) && names.isEmpty && times == 4)
        #expect(try FileManager.default.contentsOfDirectory(atPath: anchors).isEmpty)
    }

    /// Root runs no program that others can write.
    @Test func onlyTheOwnersToolsCount() throws {
        let updater = temporary.path + "/updater"
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: updater)
        #expect(throws: ToolError.self) { try trust.add([1]) }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: updater)
        var foreign = trust.places[0]
        foreign.owner = geteuid() + 1
        #expect(throws: ToolError.self) { try DistributionTrust(places: [foreign]).add([1]) }
        #expect(names.isEmpty && times == 0)
        try trust.add([1])
        #expect(throws: ToolError.self) { try DistributionTrust(places: [foreign]).remove([[1]]) }
    }

    /// The distribution's tools know no constraints, so limited and denied certificates are not for them.
    @Test func whatIsLimitedOrDeniedIsNotForTheDistribution() {
        for words in [
            ["-r", "deny"], ["-p", "ssl"], ["-s", "example.com"], ["-a", "/bin/a"], ["-r", "unspecified"],
        ] {
            let run = ToolRun(["add-trusted-cert", "-d", "-U"] + words + ["x.pem"], keychain: FakeKeychain())
            #expect(run.exitStatus == 2 && run.errors.contains("-U"), "\(words): \(run.errors)")
        }
    }

    /// Two files for one certificate would not show which one counts.
    ///
    /// Needs root.
    @Test func aCertificateHasOneFile() throws {
        guard geteuid() == 0 else { return }
        let machine = MachineTrustFolder(at: folder)
        let text = try MachineTrustFolder.text("Root", [1, 2, 3], [])
        try PublicFolder(at: folder).write(text, to: "acme.pem")
        #expect {
            try machine.add("Root", [1, 2, 3], [TrustConstraint(.deny)])
        } throws: { error in
            (error as? KeychainError)?.status == .duplicateItem
                && (error as? KeychainError)?.reason.contains("\(folder)/acme.pem") == true
        }
        #expect(throws: KeychainError(.duplicateItem, "")) {
            try machine.replace(
                [], with: [TrustSetting(certificate: [1, 2, 3], subject: [], summary: "", modified: 0)])
        }
        #expect(names == ["acme.pem"])
        // The command replaces a setting that it made itself.
        for _ in 0..<2 { try machine.add("Other", [4, 5, 6], [TrustConstraint(.deny)]) }
        #expect(names.count == 2)
        try FileManager.default.removeItem(atPath: folder + "/acme.pem")
        try machine.add("Root", [1, 2, 3], [TrustConstraint(.deny)])
        #expect(names.count == 2)
    }

    /// Files beyond the limit are not read, so none is added.
    ///
    /// Needs root.
    @Test func noFileIsAddedThatNobodyReads() throws {
        guard geteuid() == 0 else { return }
        let machine = MachineTrustFolder(at: folder)
        try PublicFolder(at: folder).write("", to: "note.txt")
        for index in 1..<TrustLimits.maximumSettings {
            #expect(FileManager.default.createFile(atPath: "\(folder)/\(index).pem", contents: Data()))
        }
        try machine.add("Root", [1, 2, 3], [])
        try machine.add("Root", [1, 2, 3], [TrustConstraint(.deny)])
        #expect(throws: KeychainError(.notAvailable, "")) { try machine.add("Other", [4, 5, 6], []) }
        #expect(names.count == TrustLimits.maximumSettings + 1)
    }

    /// A replacement is counted by its result.
    ///
    /// Needs root.
    @Test func othersMayTakeThePlaceOfMany() throws {
        guard geteuid() == 0 else { return }
        let machine = MachineTrustFolder(at: folder)
        func settings(_ range: Range<UInt8>) -> [TrustSetting] {
            range.map { TrustSetting(certificate: [1, 2, $0], subject: [], summary: "", modified: 0) }
        }
        let former = settings(0..<200)
        try machine.replace([], with: former)
        try machine.replace(former.map(\.certificate), with: settings(150..<250))
        #expect(names.count == 100)
        try machine.replace(settings(150..<250).map(\.certificate), with: settings(0..<250))
        #expect(names.count == 250)
        #expect(throws: KeychainError(.notAvailable, "")) {
            try machine.replace(
                [],
                with: (0..<7).map {
                    TrustSetting(certificate: [9, $0], subject: [], summary: "", modified: 0)
                })
        }
    }

    /// `security doctor` shows these names.
    ///
    /// Needs root.
    @Test func filesThatAreNotUnderstoodAreNamed() throws {
        guard geteuid() == 0 else { return }
        let machine = MachineTrustFolder(at: folder)
        try machine.add("Root", [1, 2, 3], [TrustConstraint(.deny)])
        let pem = CertificateText.pem([1, 2, 4])
        let (files, good) = (PublicFolder(at: folder), ["text.pem": "subject=CN = Root\n" + pem])
        let bad = ["mistyped.pem": "trust: deny\n" + pem, "none.pem": "nothing\n", "two.pem": pem + pem]
        for (name, text) in good.merging(bad, uniquingKeysWith: { $1 }) { try files.write(text, to: name) }
        #expect(try machine.filesNotUnderstood() == bad.keys.sorted().map { "\(folder)/\($0)" })
        let findings = MachineTrustCheck(folder: machine).findings()
        #expect(findings.count == bad.count && findings[0].text.contains("\(folder)/mistyped.pem"))
        #expect(MachineTrustCheck(folder: MachineTrustFolder(at: folder + "/none")).findings().isEmpty)
    }

    /// Root's denial in a file that a group may write to denies nothing, and nobody else says so.
    @Test func filesThatDoNotCountAreNamed() throws {
        guard geteuid() == 0 else { return }
        let machine = MachineTrustFolder(at: folder)
        try machine.add("Root", [1, 2, 3], [TrustConstraint(.deny)])
        try PublicFolder(at: folder).write(CertificateText.pem([1, 2, 4]), to: "open.pem")
        #expect(try machine.filesThatDoNotCount().isEmpty)
        #expect(chmod(folder + "/open.pem", 0o664) == 0)
        let findings = MachineTrustCheck(folder: machine).findings()
        #expect(findings.count == 1 && findings[0].text.hasPrefix("\(folder)/open.pem does not count"))
    }

    @Test func aFileThatWasMadeByHandIsNamedWhereItKeepsASetting() throws {
        guard geteuid() == 0 else { return }
        let machine = MachineTrustFolder(at: folder)
        try PublicFolder(at: folder).write(CertificateText.pem([1, 2, 3]), to: "acme.pem")
        let error = #expect(throws: KeychainError.self) { try machine.remove([1, 2, 3]) }
        #expect(error?.status == .duplicateItem && error?.reason.contains("\(folder)/acme.pem") == true)
        #expect(throws: KeychainError(.itemNotFound, "")) { try machine.remove([4, 5, 6]) }
        #expect(names == ["acme.pem"])
    }

    /// A setting and the distribution's file are changed together, whatever other commands do.
    @Test func oneCommandAtATimeChangesThem() throws {
        guard geteuid() == 0 else { return }
        let machine = MachineTrustFolder(at: folder)
        try machine.alone {
            #expect(throws: KeychainError(.notAvailable, "")) { _ = try PublicFolder(at: folder).lock(seconds: 0) }
            let mode = try mode(folder + ".lock")
            #expect(mode == 0o600)
        }
        try machine.alone {}
    }

    /// The maker of a certificate chooses its name, which the file shows to people.
    @Test func aNameIsNoBlockOfPEM() throws {
        let text = try MachineTrustFolder.text(
            "-----BEGIN X-----\nTrust: trustRoot", [1, 2, 3], [TrustConstraint(.deny)])
        let lines = text.split(separator: "\n")
        #expect(lines.count == 5 && lines[0].hasPrefix("# ") && !lines[0].contains("-----"))
        #expect(TrustLine.constraints(in: Array(text.utf8)) == [TrustConstraint(.deny)])
    }
}
