import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import TrustProtocol

/// The reports of daemons about themselves, about programs and about certificates.
extension Seeds {
    static var trust: [Seed] {
        guard let team = TeamIdentifier("TEAM123456"), let digest = Bytes32([UInt8](repeating: 7, count: 32)) else {
            return []
        }
        let anchor = TeamAnchor(owner: TeamOwner(team: team, anchorKey: digest), certificate: [0x30, 0])
        let question = SignatureQuestion(
            signature: Array("a.b.c".utf8), digest: ExecutableDigest(digest), anchor: anchor, now: 1)
        let claims = SignedClaims(
            owner: anchor.owner, identifier: "TEAM123456.one", keychainGroups: ["TEAM123456.a"],
            applicationGroups: ["group"], entitlements: Array("{}".utf8), validFrom: 1, validUntil: 2,
            certificates: [digest, digest], keys: [digest, digest])
        let report = AnchorReport(anchor: anchor, subject: "CN=A", validFrom: 1, validUntil: 2)
        let requests: [(String, TrustRequest)] = [
            ("trust-signature", .signature(question)),
            ("trust-anchor", .anchor(AnchorQuestion(file: [0x30], team: team, now: 1))),
            ("trust-certificates", .certificates([[0x30, 0], [0x30, 1]])), ("trust-names", .names([[0x30, 0]])),
        ]
        let replies: [(String, TrustReply)] = [
            ("trust-claims", .verdict(.claims(claims))), ("trust-needs", .verdict(.needsAnchor(team))),
            ("trust-defect", .verdict(.defect(.expired, detail: "why"))), ("trust-report", .report(report)),
            ("trust-unsuitable", .unsuitable("why")), ("trust-names-answer", .names([[1], []])),
            ("trust-readings", .readings([.report(certificate), .flaw("why")])),
        ]
        return requests.map { name, request in seed(name, 20) { request.encode(to: &$0) } }
            + replies.map { name, reply in seed(name, 21) { reply.encode(to: &$0) } }
    }

    static var certificate: CertificateReport {
        let name = CertificateName(
            encoded: [0x30, 0], normalized: [], parts: [.init(identifier: "2.5.4.3", text: "A")])
        let key = CertificateKey(
            algorithm: "1.2.840.10045.2.1", kind: .p256, bits: 256, representation: [4, 1, 2],
            hash: [UInt8](repeating: 1, count: CertificateKey.hashBytes))
        var report = CertificateReport(
            version: 3, serialNumber: [1, 2], signatureAlgorithm: "1.2.3", issuer: name, subject: name, notBefore: 0,
            notAfter: 1, key: key, alternativeNames: [AlternativeName(.host, "a.example")],
            extensions: [CertificateExtension(identifier: "2.5.29.19", isCritical: true, value: [0x30, 0])])
        (report.subjectKeyIdentifier, report.authorityKeyIdentifier) = ([1], [2])
        (report.keyUsage, report.purposes) = (5, ["1.3.6.1.5.5.7.3.1"])
        report.authority = .init(isAuthority: true, pathLength: 1)
        return report
    }

    static var check: CheckStep {
        var step = CheckStep()
        step.next = 5
        step.rows = 4
        step.total = 8
        step.structure = ["row 1 missing from index items_uuid"]
        step.findings = [.init(item: identifier, itemClass: .genericPassword, reason: .secret, outcome: .replaced)]
        return step
    }

    static var losses: LossSummary {
        var losses = LossSummary()
        losses.missing = LossSummary.Missing(changes: 6, since: 3, sinceDate: 8e8, lost: 1, restored: 2, setAside: 4)
        losses.total = 1
        losses.setAside = [
            .init(item: identifier, itemClass: .key, reason: .secret, date: 8e8, attributes: attributes)
        ]
        return losses
    }

    static var report: DaemonReport {
        var report = DaemonReport()
        report.add("store.items", 12)
        report.add("caller.path", "/usr/bin/true")
        return report
    }

    static let digest = Bytes32([UInt8](repeating: 7, count: Bytes32.count))

    static var program: ApplicationDescription? {
        guard let digest else { return nil }
        var program = ApplicationDescription(path: "/usr/bin/true", state: .signed, digest: digest)
        program.groups = [
            .init("ABCDE12345.mail", from: .keychainGroups), .init("group.mail", from: .applicationGroups),
        ]
        var signature = ApplicationDescription.Signature(path: "/opt/example.codesig")
        signature.team = TeamIdentifier("ABCDE12345")
        (signature.anchorKey, signature.origin, signature.validUntil) = (digest, .root, 1_800_000_000)
        signature.identifier = "ABCDE12345.mail"
        program.signature = signature
        program.adoption = .init(group: "ABCDE12345.mail", date: 1_800_000_000)
        program.change = .init(former: digest, digest: digest, date: 1_800_000_000)
        return program
    }

    static var team: TeamDescription? {
        guard let identifier = TeamIdentifier("ABCDE12345") else { return nil }
        var team = TeamDescription(team: identifier, origin: .person)
        (team.anchorKey, team.subject, team.validUntil) = (digest, "OU=ABCDE12345", 1_800_000_000)
        return team
    }

    static var device: DeviceReport {
        var report = DeviceReport()
        report.outcome = .delayed
        report.state = .locked
        report.hasPasscode = true
        report.failures = 7
        report.delay = 900_000
        report.memory = 65_536
        report.passes = 3
        return report
    }

    static var passwordReport: KeychainPasswordReport {
        var report = KeychainPasswordReport()
        report.outcome = .wrong
        report.failures = 6
        report.delay = 60_000
        return report
    }

    static var keychainState: KeychainState {
        var state = KeychainState()
        state.isUnlocked = true
        state.mayLackChanges = true
        return state
    }

    static var settings: DeviceSettings {
        var settings = DeviceSettings()
        settings.idleTimeout = 900
        return settings
    }
}
