import ChatelaineModel

/// The `SecPolicy` calls, for Swift and for C alike.
package enum PolicyCalls {
    private static let (identifier, name) = ("SecPolicyOid", "SecPolicyName")
    private static let (client, flags) = ("SecPolicyClient", "SecPolicyRevocationFlags")
    /// The `kSecPolicyKU_…` keys, in the order of `SecKeyUsage`.
    private static let keyUsages = [
        "DigitalSignature", "NonRepudiation", "KeyEncipherment", "DataEncipherment", "KeyAgreement", "KeyCertSign",
        "CRLSign", "EncipherOnly", "DecipherOnly",
    ].map { "CE_KU_" + $0 }

    package static func ssl(isServer: Bool, _ name: QueryValue?) -> TrustPolicy {
        if case .text(let name)? = name { return TrustPolicy(.ssl, isClient: !isServer, name: name) }
        return TrustPolicy(.ssl, isClient: !isServer)
    }

    /// - Parameter flags: without a method nobody is asked, as with `kSecRevocationNetworkAccessDisabled` alone, by
    ///   which programs switch revocation off.
    package static func revocation(_ flags: UInt64) throws(KeychainError) -> TrustPolicy {
        let flags = RevocationFlags(rawValue: flags)
        guard !flags.isEmpty, flags.isSubset(of: .all) else {
            throw KeychainError(.param, "a policy of revocation has one of the flags of kSecRevocation at least")
        }
        return TrustPolicy(.revocation, revocation: flags)
    }

    package static func make(
        _ identifier: QueryValue, _ properties: [QueryDictionary.Pair]
    ) throws(KeychainError) -> TrustPolicy {
        guard case .text(let text) = identifier, var policy = policy(text) else {
            throw KeychainError(.policyNotFound, "no trust policy of this identifier is known here")
        }
        try change(&policy, properties)
        if policy.purpose == .revocation, policy.revocation.isEmpty { policy.revocation = [.ocsp, .lists] }
        return policy
    }

    /// `SecPolicySetProperties`.
    package static func set(_ properties: [QueryDictionary.Pair], of policy: SecPolicy) throws(KeychainError) {
        try policy.change { (policy) throws(KeychainError) in
            var changed = policy
            try change(&changed, properties)
            policy = changed
        }
    }

    private static func change(
        _ policy: inout TrustPolicy, _ properties: [QueryDictionary.Pair]
    ) throws(KeychainError) {
        for (key, value) in properties {
            switch (key, value) {
            // Properties that ``properties(of:)`` returned contain the policy's identifier.
            case (identifier, .text(let text)) where self.policy(text)?.purpose == policy.purpose: break
            case (name, .text(let text)) where policy.purpose.terms.names != .none: policy.name = text
            case (client, .number(let number)) where policy.purpose.terms.hasEnds && (0...1).contains(number):
                policy.isClient = number == 1
            case (flags, .number(let number)) where policy.purpose == .revocation && number >= 0:
                policy.revocation = try revocation(UInt64(number)).revocation
            case (_, .number(let number)) where policy.purpose != .revocation && (0...1).contains(number):
                guard let place = keyUsages.firstIndex(of: key) else { throw unknown }
                policy.keyUsage = policy.keyUsage & ~(1 << UInt64(place)) | UInt64(number) << UInt64(place)
            default: throw unknown
            }
        }
    }

    private static var unknown: KeychainError {
        KeychainError(.param, "a property of the policy is not known, or is of another type than it has to be")
    }

    package static func properties(of policy: TrustPolicy) -> ResultTree {
        var pairs: [(key: String, value: ResultTree)] = [(identifier, .text(policy.purpose.identifier))]
        if let text = policy.name { pairs.append((name, .text(text))) }
        if policy.purpose.terms.hasEnds, policy.isClient { pairs.append((client, .flag(true))) }
        for (place, key) in keyUsages.enumerated() where policy.keyUsage & 1 << UInt64(place) != 0 {
            pairs.append((key, .flag(true)))
        }
        if policy.purpose == .revocation { pairs.append((flags, .number(Int64(clamping: policy.revocation.rawValue)))) }
        return .dictionary(pairs)
    }

    private static func policy(_ identifier: String) -> TrustPolicy? {
        if let purpose = TrustPolicy.Purpose(identifier: identifier) { return TrustPolicy(purpose) }
        // Apple has an identifier for each end: the policy's own, followed by 1 for the server and 2 for the client.
        for purpose in TrustPolicy.Purpose.allCases where purpose.terms.hasEnds {
            if identifier == purpose.identifier + ".1" { return TrustPolicy(purpose) }
            if identifier == purpose.identifier + ".2" { return TrustPolicy(purpose, isClient: true) }
        }
        return nil
    }
}
