import Foundation
import TestSupport
import Testing

/// Tests of the machine's identity, which root sets for all users (behaviour/identities.md).
///
/// They run in a namespace with its own `/var/lib`.
@Suite struct SystemIdentityTests {
    private static let (authFailed, itemNotFound, notAvailable) = (-25293, -25300, -25291)
    private static let (common, kerberos) = ("com.apple.systemdefault", "com.apple.kerberos.kdc")

    private struct Machine {
        /// The bus household that has the namespace and another user.
        let bus: BusHousehold
        let root: Household
        let files: AuthorityFiles

        init() throws {
            bus = try BusHousehold(user: Privilege.user(98), startsDaemon: false)
            root = try Household(uid: 0)
            files = try AuthorityFiles(in: root.home)
            let prepared = try bus.program([
                "sh", "-c", "mount -t tmpfs -o mode=755 tmpfs /var/lib && install -d -m 755 /var/lib/chatelaine",
            ])
            try #require(try prepared.finish() == 0)
        }

        func ask(
            _ probe: ProbeProcess, _ function: String, _ domain: String, _ more: [String: Any] = [:]
        ) throws -> ProbeAnswer {
            let base: [String: Any] = ["call": "Preferred", "function": function, "name": domain]
            return try probe.ask(base.merging(more) { $1 })
        }

        func found(_ probe: ProbeProcess, _ domain: String) throws -> [String]? {
            try ask(probe, "CopySystem", domain).result as? [String]
        }

        /// Waits until a change by root reaches another user.
        func wait(_ probe: ProbeProcess, toFind identity: [String]?, for domain: String) throws {
            try bus.wait(for: "the identity of \(domain)") { try found(probe, domain) == identity }
        }

        func openssl(_ words: String...) throws {
            let run = try CommandRun(
                ["openssl"] + words.map { $0.hasPrefix("@") ? "\(files.folder)/\($0.dropFirst())" : $0 })
            try #require(run.exitStatus == 0, "\(run.errors)")
        }

        /// Makes a certificate for an existing or a new key, and a file with both.
        func make(_ name: String, key: String, days: Int) throws {
            try openssl(
                "req", "-x509", "-CA", "@root.pem", "-CAkey", "@root.key", "-key", "@\(key).key", "-out",
                "@\(name).pem",
                "-subj", "/CN=\(name)", "-days", "\(days)")
            try openssl(
                "pkcs12", "-export", "-inkey", "@\(key).key", "-in", "@\(name).pem", "-out", "@\(name).p12", "-passout",
                "pass:pw", "-name", name)
        }

        func importIdentity(_ name: String, to keychain: String) throws {
            try security("import", "\(files.folder)/\(name).p12", "-k", keychain, "-P", "pw")
        }

        /// Runs the `security` command as root.
        func security(_ words: String...) throws {
            let run = try Program(
                bus.entering(0) + [BuildFolder.program("security")] + words, uid: 0, environment: root.variables)
            let said = try run.rest()
            try #require(try run.finish() == 0, "\(words): \(said)")
        }
    }

    @Test func rootSaysWhichIdentityTheMachineHas() throws {
        guard Privilege.isThere() else { return }
        let machine = try Machine()
        let system = "/Library/Keychains/System.keychain"
        for key in ["one", "two"] {
            try machine.openssl(
                "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "@\(key).key")
        }
        try machine.make("first", key: "one", days: 30)
        try machine.make("renewed", key: "one", days: 60)
        try machine.make("kdc", key: "two", days: 30)
        try machine.importIdentity("first", to: system)

        let roots = try ProbeProcess(
            machine.root.application("roots"), in: machine.root, prefix: machine.bus.entering(0), uid: 0)
        let users = try machine.bus.probe("users")
        #expect(try machine.ask(roots, "CopySystem", Self.common).status == Self.notAvailable)
        #expect(try machine.ask(users, "CopySystem", Self.common).status == Self.notAvailable)
        #expect(try machine.ask(roots, "SetSystem", "", ["label": "first"]).status == -50)
        #expect(try machine.ask(roots, "SetSystem", Self.common, ["label": "first"]).status == 0)
        #expect(try machine.found(roots, Self.common) == ["first", Self.common])
        // All users see the identity, also for domains that have no identity of their own.
        try machine.wait(users, toFind: ["first", Self.common], for: Self.common)
        #expect(try machine.found(users, Self.kerberos) == ["first", Self.common])

        // Only root sets the identity, and only to one of the machine's keychain.
        #expect(try machine.ask(users, "SetSystem", Self.common, ["clear": true]).status == Self.authFailed)
        #expect(try machine.ask(users, "SetSystem", Self.common, ["label": "first"]).status == Self.authFailed)
        try machine.security("create-keychain", "-p", "pw", "own.keychain")
        try machine.security("list-keychains", "-s", "own.keychain")
        try machine.importIdentity("kdc", to: "own.keychain")
        #expect(try machine.ask(roots, "SetSystem", Self.kerberos, ["label": "kdc"]).status == Self.itemNotFound)
        try machine.importIdentity("kdc", to: system)
        #expect(try machine.ask(roots, "SetSystem", Self.kerberos, ["label": "kdc"]).status == 0)
        try machine.wait(users, toFind: ["kdc", Self.kerberos], for: Self.kerberos)

        // A certificate that is valid for longer replaces one of the same key.
        try machine.importIdentity("renewed", to: system)
        try machine.wait(users, toFind: ["renewed", Self.common], for: Self.common)
        #expect(try machine.ask(roots, "SetSystem", Self.common, ["clear": true]).status == 0)
        #expect(try machine.ask(roots, "SetSystem", Self.common, ["clear": true]).status == Self.itemNotFound)
        try machine.wait(users, toFind: nil, for: Self.common)
        #expect(try machine.ask(users, "CopySystem", Self.common).status == Self.notAvailable)
        #expect(try machine.found(users, Self.kerberos) == ["kdc", Self.kerberos])
    }
}
