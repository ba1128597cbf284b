import ChatelaineModel
import Testing

@testable import TrustProtocol

/// Tests of the messages between securityd and trustd.
struct TrustMessageTests {
    private static func digest(_ byte: UInt8) throws -> Bytes32 {
        try #require(Bytes32([UInt8](repeating: byte, count: Bytes32.count)))
    }

    private static func anchor() throws -> TeamAnchor {
        let team = try #require(TeamIdentifier("TEAM123456"))
        return TeamAnchor(
            owner: TeamOwner(team: team, anchorKey: try digest(1)), certificate: [0x30, 0], requiresProfiles: true)
    }

    private static func requests() throws -> [TrustRequest] {
        let digest = ExecutableDigest(try digest(2))
        return [
            .signature(SignatureQuestion(signature: [1, 2], digest: digest, anchor: nil, now: -1)),
            .signature(SignatureQuestion(signature: [], digest: digest, anchor: try anchor(), now: .max)),
            .anchor(AnchorQuestion(file: [3], team: nil, now: 0)),
            .anchor(AnchorQuestion(file: [3], team: try anchor().owner.team, now: 1)),
            .certificates([]), .certificates([[0x30, 0], []]), .names([[1]]),
        ]
    }

    private static func claims() throws -> SignedClaims {
        SignedClaims(
            owner: try anchor().owner, identifier: "TEAM123456.one", keychainGroups: ["TEAM123456.a", "TEAM123456.b"],
            applicationGroups: ["group.a"], entitlements: [0x7B, 0x7D], validFrom: 1, validUntil: 2,
            certificates: [try digest(3), try digest(4)], keys: [try digest(5)])
    }

    private static var certificate: CertificateReport {
        let name = CertificateName(
            encoded: [0x30, 0], normalized: [1],
            parts: [.init(identifier: "2.5.4.3", text: "A"), .init(identifier: "2.5.4.6", text: nil)])
        let key = CertificateKey(
            algorithm: "1.2.840.10045.2.1", kind: .p256, bits: 256, representation: [4, 1, 2],
            hash: [UInt8](repeating: 1, count: CertificateKey.hashBytes))
        var report = CertificateReport(
            version: 3, serialNumber: [1, 2], signatureAlgorithm: "1.2.3", issuer: name, subject: name, notBefore: -1,
            notAfter: 1, key: key, alternativeNames: AlternativeName.Kind.allCases.map { AlternativeName($0, "a") },
            extensions: [CertificateExtension(identifier: "2.5.29.19", isCritical: true, value: [0x30, 0])])
        (report.subjectKeyIdentifier, report.authorityKeyIdentifier) = ([1], [2])
        (report.keyUsage, report.purposes) = (CertificateReport.criticalUsage | 5, ["1.3.6.1.5.5.7.3.1"])
        report.authority = .init(isAuthority: true, pathLength: 1)
        return report
    }

    private static func replies() throws -> [TrustReply] {
        let report = AnchorReport(anchor: try anchor(), subject: "CN=A", validFrom: 1, validUntil: 2)
        return [
            .verdict(.claims(try claims())), .verdict(.needsAnchor(try anchor().owner.team)), .report(report),
            .unsuitable("no"), .readings([]), .readings([.flaw("no"), .report(Self.certificate)]), .names([[], [1]]),
        ] + SignatureDefect.allCases.map { .verdict(.defect($0, detail: "why")) }
    }

    private func bytes(_ value: some CBORValue) -> [UInt8] {
        var writer = CBORWriter()
        value.encode(to: &writer)
        return writer.finishArray()
    }

    private func request(_ bytes: [UInt8]) throws -> TrustRequest {
        try bytes.withUnsafeBytes { try TrustRequest(frame: $0) }
    }

    private func reply(_ bytes: [UInt8]) throws -> TrustReply {
        try bytes.withUnsafeBytes { try TrustReply(frame: $0) }
    }

    @Test func everythingIsReadAsItWasWritten() throws {
        for value in try Self.requests() { #expect(try request(bytes(value)) == value) }
        for value in try Self.replies() { #expect(try reply(bytes(value)) == value) }
    }

    @Test func anythingElseIsRefused() throws {
        for value in try Self.requests() {
            let whole = bytes(value)
            for count in whole.indices { #expect(throws: CBORError.self) { try request(Array(whole.prefix(count))) } }
            #expect(throws: CBORError.self) { try request(whole + [0]) }
            #expect(throws: CBORError.self) { try reply(whole) }
        }
        for value in try Self.replies() {
            let whole = bytes(value)
            for count in whole.indices { #expect(throws: CBORError.self) { try reply(Array(whole.prefix(count))) } }
            // The reply has another version.
            #expect(throws: CBORError.self) {
                try reply([whole[0], 0, UInt8(TrustWire.version) + 1] + whole.dropFirst(3))
            }
        }
    }

    @Test func whatIsBeyondTheLimitsIsRefused() throws {
        var question = SignatureQuestion(
            signature: [UInt8](repeating: 0, count: SignatureLimits.maximumFileBytes + 1),
            digest: ExecutableDigest(try Self.digest(2)), anchor: try Self.anchor(), now: 0)
        let largest = bytes(TrustRequest.signature(question))
        #expect(largest.count <= TrustWire.maximumRequestBytes)
        _ = try request(largest)
        question.signature.append(0)
        #expect(throws: CBORError.self) { try request(bytes(TrustRequest.signature(question))) }
        let many = [[UInt8]](repeating: [], count: CertificateLimits.maximumBatch + 1)
        #expect(throws: CBORError.self) { try request(bytes(TrustRequest.certificates(many))) }
        let names = [[UInt8]](repeating: [], count: CertificateLimits.maximumIssuers + 1)
        #expect(throws: CBORError.self) { try request(bytes(TrustRequest.names(names))) }
        var large = Self.certificate
        large.key.hash.append(0)
        #expect(throws: CBORError.self) { try reply(bytes(TrustReply.readings([.report(large)]))) }
        let file = [UInt8](repeating: 0, count: SignatureLimits.maximumAnchorBytes + 2)
        let anchor = TrustRequest.anchor(AnchorQuestion(file: file, team: nil, now: 0))
        #expect(throws: CBORError.self) { try request(bytes(anchor)) }
        var claims = try Self.claims()
        claims.keychainGroups = [String](repeating: "TEAM123456.a", count: SignatureLimits.maximumGroups + 1)
        #expect(throws: CBORError.self) { try reply(bytes(TrustReply.verdict(.claims(claims)))) }
        claims.keychainGroups = [String(repeating: "a", count: SignatureLimits.maximumNameBytes + 1)]
        #expect(throws: CBORError.self) { try reply(bytes(TrustReply.verdict(.claims(claims)))) }
        let long = String(repeating: "a", count: SignatureLimits.maximumDetailBytes + 1)
        #expect(throws: CBORError.self) { try reply(bytes(TrustReply.unsuitable(long))) }
    }

    /// The largest possible claims fit into a frame.
    @Test func theLargestReplyFits() throws {
        var claims = try Self.claims()
        let name = String(repeating: "n", count: SignatureLimits.maximumNameBytes)
        claims.keychainGroups = [String](repeating: name, count: SignatureLimits.maximumGroups)
        claims.applicationGroups = claims.keychainGroups
        claims.entitlements = [UInt8](repeating: 0, count: SignatureLimits.maximumFileBytes)
        let largest = bytes(TrustReply.verdict(.claims(claims)))
        #expect(largest.count <= TrustWire.maximumReplyBytes)
        _ = try reply(largest)
    }
}
