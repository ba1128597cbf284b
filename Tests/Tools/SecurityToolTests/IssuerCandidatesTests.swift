import ChatelaineMemory
import ChatelaineModel
import Testing

@testable import SecurityTool

/// Tests of which certificates of a large keychain go with a question.
struct IssuerCandidatesTests {
    private let keychain = FakeKeychain()
    private let store = StoreIdentifier()

    private func certificate(_ der: [UInt8], subject: UInt8, issuer: UInt8) -> KeychainItem {
        var attributes = AttributeSet()
        attributes[.subject] = .data([subject])
        attributes[.issuer] = .data([issuer])
        let found = FoundItem(
            identifier: ItemIdentifier(), itemClass: .certificate, accessibility: .always, isSynchronizable: false,
            attributes: EncodedAttributes(attributes), secret: SecretBytes(der))
        return KeychainItem(found, of: store, at: FakeKeychain.path, isVerified: true)
    }

    private func chain(of der: [UInt8], issuedBy issuer: UInt8) throws -> [[UInt8]] {
        let context = ToolContext(
            keychain: keychain, output: Output(descriptor: -1), errors: Output(descriptor: -1), standardInput: -1,
            openTerminal: { -1 })
        let leaf = StoredCertificate(
            der: der, item: .file(certificate(der, subject: 0, issuer: issuer)))
        return try IssuerCandidates(in: CertificateSearch([FakeKeychain.path], in: context)).chain(of: leaf)
    }

    /// A program that stores several hundred large certificates under an issuer's name does not block an evaluation.
    @Test func ofManyLargeOnesFewAreAskedForAtOnce() throws {
        let size = TrustLimits.maximumCertificateBytes
        let large = (0..<600).map { number in
            certificate(
                [1, UInt8(number & 0xFF), UInt8(number >> 8)] + [UInt8](repeating: 0, count: size - 3), subject: 7,
                issuer: 7)
        }
        let genuine = [certificate([2], subject: 7, issuer: 8), certificate([3], subject: 8, issuer: 8)]
        keychain.keychainItems.withLock { $0 = genuine + large }
        let found = try chain(of: [0], issuedBy: 7)
        #expect(found.prefix(2) == [[0], [2]])
        #expect(found.reduce(0) { $0 + $1.count } <= TrustLimits.maximumQuestionBytes)
        let most = TrustLimits.maximumQuestionBytes + CertificateLimits.maximumPassedOverBytes
        var named = 0
        for case .findInKeychains(let query, let scope) in keychain.all where query.returns.contains(.data) {
            let count = scope.items?.count ?? .max
            #expect(count <= CertificateLimits.issuersReadAtOnce)
            named += min(count, large.count)
        }
        #expect(named <= most / size + CertificateLimits.issuersReadAtOnce)
    }

    @Test func issuersOfIssuersGoAlong() throws {
        let stored = [
            certificate([1], subject: 7, issuer: 8), certificate([2], subject: 8, issuer: 8),
            certificate([3], subject: 9, issuer: 9),
        ]
        keychain.keychainItems.withLock { $0 = stored }
        #expect(try chain(of: [0], issuedBy: 7) == [[0], [1], [2]])
    }
}
