import ChatelaineModel
import Synchronization
import TrustProtocol

/// A verifier of signatures and certificates that a test has made up as texts.
final class FakeVerifier: SignatureVerifying {
    struct Signed: Sendable {
        var team: TeamIdentifier
        var identifier: String
        var digest: ExecutableDigest
        var groups: [String] = []
        var applicationGroups: [String] = []
        var validFrom: Int64 = 0
        var validUntil: Int64 = 4_000_000_000
        var certificates: [Bytes32] = []
        var keys: [Bytes32] = []
    }

    let signed = Mutex<[[UInt8]: Signed]>([:])
    let anchors = Mutex<[[UInt8]: AnchorReport]>([:])
    /// The questions so far, in order.
    let questions = Mutex<[SignatureQuestion]>([])
    let examinations = Mutex(0)
    /// Whether the verifier is available.
    let isThere = Mutex(true)
    /// Runs while a signature is examined.
    let during = Mutex<(@Sendable () -> Void)?>(nil)

    var count: Int { questions.withLock { $0.count } }

    func verify(_ question: SignatureQuestion) throws(KeychainError) -> SignatureVerdict {
        questions.withLock { $0.append(question) }
        during.withLock { $0 }?()
        guard isThere.withLock({ $0 }) else { throw KeychainError(.notAvailable, "nobody is there") }
        guard let signed = signed.withLock({ $0[question.signature] }) else {
            return .defect(.malformed, detail: "made up")
        }
        guard let anchor = question.anchor, anchor.owner.team == signed.team else { return .needsAnchor(signed.team) }
        guard question.digest == signed.digest else { return .defect(.wrongDigest, detail: "") }
        guard question.now >= signed.validFrom else { return .defect(.notYetValid, detail: "") }
        guard question.now <= signed.validUntil else { return .defect(.expired, detail: "") }
        return .claims(
            SignedClaims(
                owner: anchor.owner, identifier: signed.identifier, keychainGroups: signed.groups,
                applicationGroups: signed.applicationGroups, entitlements: Array("{}".utf8),
                validFrom: signed.validFrom, validUntil: signed.validUntil,
                certificates: signed.certificates, keys: signed.keys + [anchor.owner.anchorKey]))
    }

    func examine(_ question: AnchorQuestion) throws(KeychainError) -> AnchorReport {
        examinations.withLock { $0 += 1 }
        guard isThere.withLock({ $0 }) else { throw KeychainError(.notAvailable, "nobody is there") }
        guard let report = anchors.withLock({ $0[question.file] }) else {
            throw KeychainError(.param, "that is no certificate")
        }
        return report
    }
}

extension TeamIdentifier {
    static func test(_ text: String) -> TeamIdentifier {
        guard let team = TeamIdentifier(text) else { preconditionFailure("\(text) is no team") }
        return team
    }
}

extension Bytes32 {
    static func filled(_ byte: UInt8) -> Bytes32 {
        guard let value = Bytes32([UInt8](repeating: byte, count: count)) else { preconditionFailure("no value") }
        return value
    }
}
