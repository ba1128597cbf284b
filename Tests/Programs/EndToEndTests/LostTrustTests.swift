import Foundation
import TestSupport
import Testing

/// Tests of trust settings whose record is removed, exchanged or damaged: a denied certificate does not become trusted
/// (behaviour/trust.md).
@Suite struct LostTrustTests {
    private let home: TrustHousehold
    /// The list of programs, which names the settings file that counts.
    private var list: String { "\(home.household.home)/state/identity/applications" }

    init() throws { home = try TrustHousehold() }

    /// With a passcode, that list cannot be undone without the store, which has the passcode.
    @Test(arguments: ["removed", "former", "damaged"])
    func whatThePasscodeHasSignedIsNotUndone(by means: String) throws {
        try home.denyLeaf()
        try home.tools.require(["remove-trusted-cert", "-a"])
        let former = try Data(contentsOf: URL(fileURLWithPath: list))
        try home.denyLeaf()
        try home.setPasscode()
        #expect(try home.askWithRoot() == TrustHousehold.denied)
        home.household.dismiss()
        let genuine = try Data(contentsOf: URL(fileURLWithPath: list))
        switch means {
        case "removed": try FileManager.default.removeItem(atPath: list)
        case "former": try rewrite(list, former)
        default:
            var damaged = genuine
            damaged[damaged.count / 2] ^= 1
            try rewrite(list, damaged)
        }
        #expect(try home.askWithRoot() == TrustHousehold.unknown)
        #expect(try home.tools.tool(["dump-trust-settings"]).status != 0)
        #expect(try home.tools.tool(["remove-trusted-cert", "-a"]).status != 0)
        #expect(try home.askWithRoot() == TrustHousehold.unknown)
        // The genuine list repairs the state, and its settings file is still there.
        home.household.dismiss()
        try rewrite(list, genuine)
        #expect(try home.askWithRoot() == TrustHousehold.denied)
    }

    /// Evaluations fail without a word about the cause, so the doctor names it.
    @Test func theDoctorNamesWhatIsLost() throws {
        func doctor() throws -> String { try home.tools.tool(["doctor"]).output.joined(separator: "\n") }
        try home.denyLeaf()
        #expect(try !doctor().contains("trust.settings"))
        home.household.dismiss()
        let folder = "\(home.household.home)/state/identity"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("trust-") }
        let name = try #require(names.first)
        try rewrite("\(folder)/\(name)", Data("other settings".utf8))
        #expect(try home.askWithRoot() == TrustHousehold.unknown)
        let said = try doctor()
        #expect(said.contains("trust.settings") && said.contains("security remove-trusted-cert -a"), "\(said)")
        try home.tools.require(["remove-trusted-cert", "-a"])
        #expect(try home.askWithRoot() == TrustHousehold.trusted && !doctor().contains("trust.settings"))
    }

    /// After the loss of the list, the passcode ends all settings.
    @Test(arguments: ["removed", "former"])
    func thePasscodeEndsWhatIsLost(by means: String) throws {
        try home.denyLeaf()
        try home.tools.require(["remove-trusted-cert", "-a"])
        let former = try Data(contentsOf: URL(fileURLWithPath: list))
        try home.denyLeaf()
        try home.setPasscode()
        home.household.dismiss()
        if means == "former" { try rewrite(list, former) } else { try FileManager.default.removeItem(atPath: list) }
        try home.tools.require(["unlock", "--stdin"], reads: Household.passcode)
        #expect(try home.askWithRoot() == TrustHousehold.unknown)
        try removeAll()
        #expect(try home.askWithRoot() == TrustHousehold.trusted)
        home.household.dismiss()
        #expect(try home.askWithRoot() == TrustHousehold.trusted)
    }

    /// Removes all settings as a person does, who types the passcode.
    private func removeAll() throws {
        let terminal = try TestTerminal()
        try terminal.give(to: home.household.uid)
        let tool = try ChildProcess(
            ["setsid", "--ctty", "--wait", BuildFolder.program("security"), "remove-trusted-cert", "-a"],
            user: home.household.uid, environment: home.household.variables.map { "\($0)=\($1)" },
            files: [(terminal.device, 0), (terminal.device, 1), (terminal.device, 2)], inheritsOthers: false)
        try terminal.expect("Passcode:")
        _ = terminal.settle()
        try terminal.type(Household.passcode + "\r")
        #expect(tool.wait() == .exited(0), "\(terminal.shown)")
    }

    /// Unknown denials stay unknown under new keys, even if the daemon ends right after these are made.
    @Test func newKeysDoNotMakeAnythingKnown() throws {
        try home.denyLeaf()
        try home.setPasscode()
        home.household.dismiss()
        try FileManager.default.removeItem(atPath: list)
        for _ in 0..<2 {
            // The device is locked at this point.
            #expect(try home.askWithRoot() == TrustHousehold.unknown)
            try home.renewKeys()
            #expect(try home.askWithRoot() == TrustHousehold.unknown)
            home.household.dismiss()
        }
        #expect(try home.askWithRoot() == TrustHousehold.unknown)
    }

    /// A denial neither ends nor becomes unknown under new keys, although nothing can be signed while the device is
    /// locked.
    @Test func whatWasDeniedIsDeniedUnderNewKeys() throws {
        try home.denyLeaf()
        try home.setPasscode()
        for isLocked in [false, true] {
            if isLocked { try home.tools.require(["lock"]) }
            try home.renewKeys()
            #expect(try home.askWithRoot() == TrustHousehold.denied)
            home.household.dismiss()
            #expect(try home.askWithRoot() == TrustHousehold.denied)
        }
    }

    /// A user who never set trust has denied nothing.
    @Test func aLostListWithoutSettingsOfTrustStopsNothing() throws {
        try home.setPasscode()
        let folder = "\(home.household.home)/made"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try home.household.give(folder)
        try home.tools.require(["app", "develop", folder, "--stdin"], reads: Household.passcode)
        home.household.dismiss()
        try FileManager.default.removeItem(atPath: list)
        #expect(try home.askWithRoot() == TrustHousehold.trusted)
    }

    /// Rewrites a file as the household's user may.
    private func rewrite(_ path: String, _ data: Data) throws {
        try data.write(to: URL(fileURLWithPath: path))
        try home.household.give(path)
        try #require(chmod(path, 0o600) == 0)
    }
}
