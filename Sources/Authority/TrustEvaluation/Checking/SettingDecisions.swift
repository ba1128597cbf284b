import ChatelaineModel
import TrustProtocol

/// The decisions of settings about certificates, for the policies of one evaluation.
///
/// A certificate is trusted byte for byte. A denial covers the signed part of a certificate. With some algorithms
/// anybody can make another valid signature over the same content, and so another certificate.
struct SettingDecisions: Sendable {
    private let settings: [TrustCase.Setting]
    /// The settings by the signed part of their certificates.
    private let bySigned: [ArraySlice<UInt8>: [TrustCase.Setting]]
    private let policies: [TrustPolicy]

    enum Decision: Sendable {
        case trust
        case deny
    }

    init(_ settings: [TrustCase.Setting], for policies: [TrustPolicy]) {
        let settings = settings.map(\.withItsOwnResults)
        self.settings = settings
        self.policies = policies
        bySigned = Dictionary(grouping: settings) { EncodedNames.signedPart(of: $0.certificate) }
    }

    /// The certificates at which a chain may end, in the order of the settings.
    var trusted: [[UInt8]] {
        var seen: Set<[UInt8]> = []
        return settings.map(\.certificate).filter { seen.insert($0).inserted && decision(about: $0) == .trust }
    }

    /// The decision about a certificate: denied if one policy denies it, and trusted only if all policies trust it.
    ///
    /// A setting that trusts a root for mail does not allow it to name servers.
    func decision(about certificate: [UInt8]) -> Decision? {
        guard let found = bySigned[EncodedNames.signedPart(of: certificate)] else { return nil }
        let purposes = policies.filter { $0.purpose != .revocation }
        // A revocation policy has no purpose of its own, so only a constraint that names it can deny.
        let denials = policies.filter { $0.purpose == .revocation }.map { policy in
            decision(found.map { $0.naming(.revocation) }, about: certificate, for: policy)
        }
        let decisions = (purposes.isEmpty ? policies : purposes).map { decision(found, about: certificate, for: $0) }
        if (decisions + denials).contains(.deny) { return .deny }
        return decisions.allSatisfy { $0 == .trust } ? .trust : nil
    }

    /// The decision for one policy.
    ///
    /// The person's settings come before root's; within a domain, a denial wins whatever the order.
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

    /// The statuses that do not count against a certificate under any of the policies.
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
    /// The decision of the first constraint that applies to this policy and decides; nil if there is none.
    ///
    /// A constraint that allows an error exists for that error, and trusts only incidentally. So it does not override a
    /// denial after it.
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

    /// The setting without the results that are for other certificates.
    ///
    /// As with Apple, `trustRoot` is for certificates that issued themselves, and `trustAsRoot` for all others.
    fileprivate var withItsOwnResults: Self {
        guard let read = ReadCertificate(anchor: certificate) else { return self }
        let other = read.isSelfIssued ? TrustConstraint.Result.trustAsRoot : .trustRoot
        let constraints = constraints.isEmpty ? [TrustConstraint()] : constraints
        guard constraints.contains(where: { $0.result == other }) else { return self }
        var setting = self
        setting.constraints = constraints.filter { $0.result != other }
        if setting.constraints.isEmpty { setting.constraints = [TrustConstraint(.unspecified)] }
        return setting
    }

    fileprivate func allowedErrors(for policy: TrustPolicy) -> Set<Int64> {
        Set(constraints.filter { $0.concerns(policy) }.compactMap(\.allowedError))
    }

    /// The setting with only the constraints that name `purpose`; without any, it gets a constraint that decides
    /// nothing.
    fileprivate func naming(_ purpose: TrustPolicy.Purpose) -> Self {
        var setting = self
        setting.constraints = constraints.filter { $0.policy == purpose }
        if setting.constraints.isEmpty { setting.constraints = [TrustConstraint(.unspecified)] }
        return setting
    }
}
