import TrustProtocol
import X509

/// A good chain, with which the evaluation of another certificate of the same issuer begins.
///
/// A server judges the certificates of its clients one after the other, and they differ in the first one alone. Most of
/// an evaluation is the verification of the issuers' signatures, which would be the same each time.
///
/// The result is that of a whole search. So all other certificates have to be the same, and the chain was the first one
/// that the search had reached. Then a search for the next certificate reaches it first, too: it looks for issuers by
/// the name and the key identifier, and these are the same.
package struct FormerChain {
    /// The case without the judged certificate and the time.
    private let alike: TrustCase
    private let candidates: Candidates
    /// The chain above the judged certificate.
    private let issuers: [ReadCertificate]

    /// Nil where another search might not reach the same chain first.
    init?(_ found: ChainSearch.Found, _ candidates: Candidates, _ evaluation: TrustCase) {
        guard found.isFirst, found.chain.isGood, found.chain.certificates.count > 1,
            // The judged certificate may be an anchor itself then.
            !evaluation.question.options.contains(.implicitAnchors), candidates.leaf.isApart(from: candidates)
        else { return nil }
        alike = Self.alike(evaluation)
        self.candidates = candidates
        issuers = Array(found.chain.certificates.dropFirst())
    }

    /// The chain and the candidates for another certificate of the same issuer; nil where a search has to find them.
    func chain(
        for leaf: ReadCertificate, in evaluation: TrustCase
    ) -> (chain: [ReadCertificate], candidates: Candidates)? {
        let former = candidates.leaf.certificate
        guard leaf.certificate.issuer == former.issuer,
            leaf.certificate.extensions[oid: .X509ExtensionID.authorityKeyIdentifier]?.value
                == former.extensions[oid: .X509ExtensionID.authorityKeyIdentifier]?.value,
            leaf.isApart(from: candidates), Self.alike(evaluation) == alike,
            // The candidates may be a part of the anchors.
            !evaluation.question.anchors.contains(leaf.der), leaf.isSigned(by: issuers[0])
        else { return nil }
        return ([leaf] + issuers, Candidates(candidates, leaf: leaf))
    }

    private static func alike(_ evaluation: TrustCase) -> TrustCase {
        var alike = evaluation
        alike.question.certificates[0] = []
        (alike.question.date, alike.now) = (nil, 0)
        return alike
    }
}

extension ReadCertificate {
    /// Whether the certificate is read as it is, and none of the others is it, or has its name and key.
    ///
    /// A search passes over certificates with a name and a key that are in the chain already.
    fileprivate func isApart(from candidates: Candidates) -> Bool {
        !isCopied && !isSelfIssued && !(candidates.between + candidates.anchors).holds(self)
    }
}
