import Testing

@testable import ChatelaineModel

/// Tests of what a trust evaluation may be about (behaviour/limits.md, 47 and 48).
struct TrustQuestionTests {
    private let question = TrustQuestion([[1]], policies: [TrustPolicy(.basic)])

    /// Whether a question with `limit` parts fits, and one with one part more does not.
    private func isBounded(at limit: Int, _ fill: (inout TrustQuestion, Int) -> Void) throws -> Bool {
        var most = question
        fill(&most, limit)
        try most.checkSize()
        fill(&most, limit + 1)
        do throws(KeychainError) { try most.checkSize() } catch { return error.status == .param }
        return false
    }

    @Test func whatIsGivenIsCounted() throws {
        #expect(
            try isBounded(at: TrustLimits.maximumCertificates) { $0.certificates = .init(repeating: [1], count: $1) })
        #expect(try isBounded(at: TrustLimits.maximumCertificates - 1) { $0.stored = .init(repeating: [1], count: $1) })
        #expect(try isBounded(at: TrustLimits.maximumCertificates) { $0.anchors = .init(repeating: [1], count: $1) })
        #expect(
            try isBounded(at: TrustLimits.maximumPolicies) {
                $0.policies = .init(repeating: TrustPolicy(.ssl), count: $1)
            })
        #expect(try isBounded(at: TrustLimits.maximumRevocations) { $0.responses = .init(repeating: [1], count: $1) })
        #expect(
            try isBounded(at: TrustLimits.maximumRevocations) { $0.revocationLists = .init(repeating: [1], count: $1) })
    }

    @Test func bytesAreCounted() throws {
        func bytes(_ count: Int) -> [UInt8] { .init(repeating: 1, count: count) }
        #expect(try isBounded(at: TrustLimits.maximumCertificateBytes) { $0.anchors = [bytes($1)] })
        #expect(
            try isBounded(at: TrustLimits.maximumNameBytes) {
                $0.policies = [TrustPolicy(.ssl, name: .init(repeating: "a", count: $1))]
            })
        #expect(
            try isBounded(at: TrustLimits.maximumRevocationBytes - 1) {
                ($0.responses, $0.revocationLists) = ([[1]], [bytes($1)])
            })
        // One byte belongs to the certificate itself.
        let whole = TrustLimits.maximumQuestionBytes / TrustLimits.maximumCertificateBytes - 1
        let anchors = [[UInt8]](repeating: bytes(TrustLimits.maximumCertificateBytes), count: whole)
        #expect(
            try isBounded(at: TrustLimits.maximumCertificateBytes - 1) { $0.anchors = anchors + [bytes($1)] })
    }
}
