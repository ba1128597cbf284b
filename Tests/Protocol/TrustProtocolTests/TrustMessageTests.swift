import ChatelaineModel
import Testing

@testable import TrustProtocol

/// What securityd and trustd say to each other.
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
        ]
    }

    private static func claims() throws -> SignedClaims {
        SignedClaims(
            owner: try anchor().owner, identifier: "TEAM123456.one", keychainGroups: ["TEAM123456.a", "TEAM123456.b"],
            applicationGroups: ["group.a"], entitlements: [0x7B, 0x7D], validFrom: 1, validUntil: 2,
            certificates: [try digest(3), try digest(4)], keys: [try digest(5)])
    }

    private static func replies() throws -> [TrustReply] {
        let report = AnchorReport(anchor: try anchor(), subject: "CN=A", validFrom: 1, validUntil: 2)
        return [
            .verdict(.claims(try claims())), .verdict(.needsAnchor(try anchor().owner.team)), .report(report),
            .unsuitable("no"),
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
            // Another version.
            #expect(throws: CBORError.self) { try reply([whole[0], 0, UInt8(TrustWire.version) + 1] + whole.dropFirst(3)) }
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

    /// The largest claims that there can be fit into a frame.
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
