import ChatelaineModel
import TrustProtocol

/// What settings say of certificates, for the policies of one evaluation.
///
/// A certificate is trusted as it is, byte for byte. A denial is of what its issuer has signed: with some algorithms anybody can make another
/// signature over that, which is as good, and so another certificate of the same content.
struct SettingDecisions: Sendable {
    private let settings: [TrustCase.Setting]
    /// By what is signed in their certificates.
    private let bySigned: [ArraySlice<UInt8>: [TrustCase.Setting]]
    private let policies: [TrustPolicy]

    enum Decision: Sendable {
        case trust
        case deny
    }

    init(_ settings: [TrustCase.Setting], for policies: [TrustPolicy]) {
        self.settings = settings
        self.policies = policies
        bySigned = Dictionary(grouping: settings) { EncodedNames.signedPart(of: $0.certificate) }
    }

    /// Those at which a chain may end, in the order of the settings.
    var trusted: [[UInt8]] {
        var seen: Set<[UInt8]> = []
        return settings.map(\.certificate).filter { seen.insert($0).inserted && decision(about: $0) == .trust }
    }

    /// Denied is what one policy is denied for. Trusted is what all are trusted for: who trusts a root for mail has not said that it may name servers.
    func decision(about certificate: [UInt8]) -> Decision? {
        guard let found = bySigned[EncodedNames.signedPart(of: certificate)] else { return nil }
        let purposes = policies.filter { $0.purpose != .revocation }
        // One of revocation says nothing of what the chain is for, and is denied only by name.
        let denials = policies.filter { $0.purpose == .revocation }.map { policy in
            decision(found.map { $0.naming(.revocation) }, about: certificate, for: policy)
        }
        let decisions = (purposes.isEmpty ? policies : purposes).map { decision(found, about: certificate, for: $0) }
        if (decisions + denials).contains(.deny) { return .deny }
        return decisions.allSatisfy { $0 == .trust } ? .trust : nil
    }

    /// The person's before root's. In one domain no setting undoes another's denial, whichever comes first.
    private func decision(
        _ found: [TrustCase.Setting], about certificate: [UInt8], for policy: TrustPolicy
    ) -> Decision? {
        for domain in TrustSetting.Domain.allCases {
            let here = found.filter { $0.domain == domain }
            if here.contains(where: { $0.decision(for: policy) == .deny }) { return .deny }
            if here.contains(where: { $0.certificate == certificate && $0.decision(for: policy) == .trust }) {
                return .trust
            }
        }
        return nil
    }

    /// Statuses that do not count against a certificate, whichever of the policies is asked.
    func allowedErrors(of certificate: [UInt8]) -> Set<Int64> {
        let found = settings.filter { $0.certificate == certificate }
        guard !found.isEmpty else { return [] }
        let purposes = policies.filter { $0.purpose != .revocation }
        let all = (purposes.isEmpty ? policies : purposes).map { policy in
            found.reduce(into: Set<Int64>()) { $0.formUnion($1.allowedErrors(for: policy)) }
        }
        return all.dropFirst().reduce(all.first ?? []) { $0.intersection($1) }
    }
}

extension TrustCase.Setting {
    /// What the first constraint says that concerns this policy and leaves it to nobody else; nil where none does.
    ///
    /// One that allows an error is there for that, and trusts by the way. So it undoes no denial that stands after it.
    fileprivate func decision(for policy: TrustPolicy) -> SettingDecisions.Decision? {
        if constraints.isEmpty { return .trust }
        var besides: SettingDecisions.Decision?
        for constraint in constraints where constraint.concerns(policy) {
            switch constraint.result {
            case .trustRoot, .trustAsRoot:
                guard constraint.allowedError != nil else { return .trust }
                besides = .trust
            case .deny: return .deny
            case .unspecified: continue
            }
        }
        return besides
    }

    fileprivate func allowedErrors(for policy: TrustPolicy) -> Set<Int64> {
        Set(constraints.filter { $0.concerns(policy) }.compactMap(\.allowedError))
    }

    /// With those constraints alone that name this purpose, and one that says nothing where there are none.
    fileprivate func naming(_ purpose: TrustPolicy.Purpose) -> Self {
        var setting = self
        setting.constraints = constraints.filter { $0.policy == purpose }
        if setting.constraints.isEmpty { setting.constraints = [TrustConstraint(.unspecified)] }
        return setting
    }
}
