import ChatelaineModel
import TrustProtocol

extension TrustWorkers: SignatureVerifying {
    /// Verifies a signature.
    ///
    /// The verdict is ``SignatureDefect/unreadable`` where there was no answer; the next attempt may succeed.
    package func verify(_ question: SignatureQuestion) throws(KeychainError) -> SignatureVerdict {
        guard question.signature.count <= SignatureLimits.maximumFileBytes else {
            return .defect(.tooLarge, detail: "it has more than \(SignatureLimits.maximumFileBytes) bytes")
        }
        switch try ask(.signature(question), about: .signatures) {
        case .verdict(let verdict)? where verdict.isPossible(as: question): return verdict
        case nil: return .defect(.unreadable, detail: "trustd gave no answer within \(seconds) seconds")
        default: throw Self.confused
        }
    }

    package func examine(_ question: AnchorQuestion) throws(KeychainError) -> AnchorReport {
        guard question.file.count <= SignatureLimits.maximumAnchorBytes else {
            throw KeychainError(.param, "an anchor has at most \(SignatureLimits.maximumAnchorBytes) bytes")
        }
        switch try ask(.anchor(question), about: .signatures) {
        case .report(let report)? where question.team == nil || report.anchor.owner.team == question.team:
            return report
        case .unsuitable(let reason)?: throw KeychainError(.param, reason)
        case nil: throw noAnswer
        default: throw Self.confused
        }
    }

    var noAnswer: KeychainError {
        KeychainError(.notAvailable, "trustd gave no answer within \(seconds) seconds")
    }

    static var confused: KeychainError {
        KeychainError(.internalComponent, "trustd answers what it was not asked")
    }
}

extension SignatureVerdict {
    /// Whether the verdict can be the answer.
    ///
    /// A process that was taken over can lie, but only about the team of the question.
    fileprivate func isPossible(as question: SignatureQuestion) -> Bool {
        switch self {
        case .claims(let claims):
            claims.owner == question.anchor?.owner
                && claims.validFrom <= question.now && question.now <= claims.validUntil
                && ([claims.identifier] + claims.keychainGroups).allSatisfy { claims.owner.team.isPrefix(of: $0) }
        case .needsAnchor: question.anchor == nil
        case .defect: true
        }
    }
}
