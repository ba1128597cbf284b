import ChatelaineModel
import TrustProtocol
import X509

/// What a chain has to meet: RFC 5280, the policies, the settings, and that nobody revoked a part of it.
struct ChainExamination: Sendable {
    let policies: [TrustPolicy]
    /// Seconds since 1970.
    let date: Int64
    private let anchors: Set<[UInt8]>
    private let distributed: Set<[UInt8]>
    private let decisions: SettingDecisions
    private let options: TrustOptions
    private let revocation: RevocationSources
    private let methods: RevocationMethods

    init(
        _ trustCase: TrustCase, _ candidates: Candidates, _ decisions: SettingDecisions, _ revocation: RevocationSources
    ) {
        policies = trustCase.question.policies
        date = trustCase.date
        options = trustCase.question.options
        anchors = candidates.bySetting
        distributed = candidates.distributed
        self.decisions = decisions
        self.revocation = revocation
        methods = RevocationMethods(trustCase.question)
    }

    func examine(_ chain: [ReadCertificate], isAnchored: Bool) -> ExaminedChain {
        var defects = [Set<TrustDefect>](repeating: [], count: chain.count)
        if !isAnchored, let last = chain.last {
            defects[chain.count - 1].insert(last.isSelfIssued ? .notTrusted : .noIssuer)
        }
        // Of a longer one the end is not told; so this is said of the last that is.
        if chain.count > TrustLimits.maximumChain { defects[TrustLimits.maximumChain - 1].insert(.noIssuer) }
        for (index, certificate) in chain.enumerated() {
            // Whoever trusts an anchor trusts its key, whoever signed it; and one that proves nothing but itself says nothing by its digest. To have the name of
            // its issuer is neither.
            let isEnd = index == chain.count - 1 && (isAnchored || certificate.isSelfSigned)
            defects[index].formUnion(own(certificate, isEnd: isEnd))
            let isRoot = index == chain.count - 1 && certificate.isSelfIssued
            if options.contains(isRoot ? .allowExpiredRoot : .allowExpired) { defects[index].remove(.expired) }
            if index > 0 { defects[index].formUnion(asIssuer(chain, index)) }
        }
        if let leaf = chain.first {
            let isDistributed = chain.last.map { isAnchored && distributed.contains($0.der) } ?? false
            for policy in policies { defects[0].formUnion(policy.defects(of: leaf, isDistributed: isDistributed)) }
            for policy in policies where policy.purpose.terms.hasPurposes {
                for index in chain.indices.dropFirst() where !(isAnchored && index == chain.count - 1) {
                    if !policy.allows(issuer: chain[index]) { defects[index].insert(.wrongPurpose) }
                }
            }
        }
        NameTree.check(chain, &defects)
        let (goodUntil, unknown) = checkRevocation(chain, &defects)
        let isBySetting = applySettings(chain, isAnchored, &defects)
        return ExaminedChain(
            certificates: chain, defects: defects, isAnchored: isAnchored, isBySetting: isBySetting,
            goodUntil: goodUntil, unknown: unknown)
    }

    /// What is wrong with a certificate, whatever stands around it.
    ///
    /// - Parameter isEnd: whether nobody is to believe its signature.
    private func own(_ certificate: ReadCertificate, isEnd: Bool) -> Set<TrustDefect> {
        var found: Set<TrustDefect> = []
        if date > certificate.validUntil { found.insert(.expired) }
        if date < certificate.validFrom { found.insert(.notYetValid) }
        if certificate.signature.isWeak, !isEnd { found.insert(.weakDigest) }
        guard let extensions = certificate.extensions else { return found.union([.damagedExtension]) }
        if extensions.hasUnknownCritical { found.insert(.unknownCriticalExtension) }
        return found
    }

    /// What is wrong with one that issued another.
    private func asIssuer(_ chain: [ReadCertificate], _ index: Int) -> Set<TrustDefect> {
        let issuer = chain[index]
        guard let extensions = issuer.extensions else { return [] }
        var found: Set<TrustDefect> = []
        // An anchor of the first version says nothing, and is trusted for what it is.
        let isOldAnchor = issuer.isOld && index == chain.count - 1 && issuer.isSelfIssued
        if !extensions.isAuthority, !isOldAnchor { found.insert(.notAnAuthority) }
        if extensions.keyUsage.map({ !$0.keyCertSign }) ?? false { found.insert(.wrongKeyUsage) }
        // One that issued itself anew is not counted (RFC 5280, 4.2.1.9).
        let below = chain[1..<index].filter { !$0.isSelfIssued }.count
        if let limit = extensions.pathLength, below > limit { found.insert(.pathTooLong) }
        return found
    }

    /// Until when it is known that the first certificate is good, and the places of those of which nothing is known.
    private func checkRevocation(
        _ chain: [ReadCertificate], _ defects: inout [Set<TrustDefect>]
    ) -> (goodUntil: Int64?, unknown: [Int]) {
        var (ends, unknown): ([Int64], [Int]) = ([], [])
        for index in chain.indices.dropLast() {
            switch revocation.state(of: chain[index], by: chain[index + 1]) {
            case .revoked: defects[index].insert(.revoked)
            case .good(let until): ends.append(until)
            case .unknown:
                unknown.append(index)
                if methods.require(chain[index], isFirst: index == 0) { defects[index].insert(.revocationUnknown) }
            }
        }
        let isFirstGood = chain.count > 1 && unknown.first != 0 && !defects[0].contains(.revoked)
        return (isFirstGood ? ends.min() : nil, unknown)
    }

    /// Whether a setting is why the chain is trusted.
    private func applySettings(
        _ chain: [ReadCertificate], _ isAnchored: Bool, _ defects: inout [Set<TrustDefect>]
    ) -> Bool {
        for (index, certificate) in chain.enumerated() {
            let allowed = decisions.allowedErrors(of: certificate.der)
            defects[index] = defects[index].filter {
                !$0.canBeAllowed || !allowed.contains(Int64($0.status.rawValue))
            }
            if decisions.decision(about: certificate.der) == .deny { defects[index].insert(.denied) }
        }
        return isAnchored && (chain.last.map { anchors.contains($0.der) } ?? false)
    }
}
