import ChatelaineModel
import TrustProtocol
import X509

/// Examines a chain: RFC 5280, the policies, the settings, and revocation.
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
        // A longer chain is cut in the report, so the defect goes to the last certificate that is reported.
        if chain.count > TrustLimits.maximumChain { defects[TrustLimits.maximumChain - 1].insert(.noIssuer) }
        for (index, certificate) in chain.enumerated() {
            // An anchor is trusted for its key, whoever signed it. The digest of a self-signed certificate proves
            // nothing either. A certificate that merely has the name of its issuer is neither.
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

    /// The defects of a certificate by itself, without regard to the chain.
    ///
    /// - Parameter isEnd: whether its signature does not matter.
    private func own(_ certificate: ReadCertificate, isEnd: Bool) -> Set<TrustDefect> {
        var found: Set<TrustDefect> = []
        if date > certificate.validUntil { found.insert(.expired) }
        if date < certificate.validFrom { found.insert(.notYetValid) }
        if certificate.signature.isWeak, !isEnd { found.insert(.weakDigest) }
        guard let extensions = certificate.extensions else { return found.union([.damagedExtension]) }
        if extensions.hasUnknownCritical { found.insert(.unknownCriticalExtension) }
        if !extensions.hasReadablePoints, policies.contains(where: { $0.purpose == .revocation }) {
            found.insert(.damagedExtension)
        }
        return found
    }

    /// The defects of a certificate as the issuer of the one before it.
    private func asIssuer(_ chain: [ReadCertificate], _ index: Int) -> Set<TrustDefect> {
        let issuer = chain[index]
        guard let extensions = issuer.extensions else { return [] }
        var found: Set<TrustDefect> = []
        // An anchor of version 1 has no extensions, and is trusted as it is.
        let isOldAnchor = issuer.isOld && index == chain.count - 1 && issuer.isSelfIssued
        // An exception for a use of a certificate must not make an issuer of it.
        let mayNotSign = extensions.keyUsage.map { !$0.keyCertSign } ?? false
        if !extensions.isAuthority && !isOldAnchor || mayNotSign { found.insert(.notAnAuthority) }
        // A self-issued certificate does not count (RFC 5280, 4.2.1.9).
        let below = chain[1..<index].filter { !$0.isSelfIssued }.count
        if let limit = extensions.pathLength, below > limit { found.insert(.pathTooLong) }
        return found
    }

    /// Checks revocation; returns until when the first certificate is known to be good, and the indexes of those with
    /// unknown state.
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

    /// Applies the settings; returns whether a setting is the reason for which the chain is trusted.
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
