import ChatelaineModel

/// The calls of `SecPolicy`, for Swift and for C alike.
package enum PolicyCalls {
    private static let (identifier, name) = ("SecPolicyOid", "SecPolicyName")
    private static let (client, flags) = ("SecPolicyClient", "SecPolicyRevocationFlags")
    /// Identifiers that say which end a certificate is of, after that of the policy: Apple gives the server 1 and the client 2.
    private static let ends: [TrustPolicy.Purpose] = [.ssl, .eap, .ipsec]

    package static func ssl(isServer: Bool, _ name: QueryValue?) -> TrustPolicy {
        if case .text(let name)? = name { return TrustPolicy(.ssl, isClient: !isServer, name: name) }
        return TrustPolicy(.ssl, isClient: !isServer)
    }

    package static func revocation(_ flags: UInt64) throws(KeychainError) -> TrustPolicy {
        let flags = RevocationFlags(rawValue: flags)
        guard !flags.isDisjoint(with: [.ocsp, .lists]) else {
            throw KeychainError(.param, "a policy of revocation asks by OCSP, by lists, or by both")
        }
        return TrustPolicy(.revocation, revocation: flags)
    }

    package static func make(
        _ identifier: QueryValue, _ properties: [QueryDictionary.Pair]
    ) throws(KeychainError) -> TrustPolicy {
        guard case .text(let text) = identifier, var policy = policy(text) else {
            throw KeychainError(.policyNotFound, "no trust policy of this identifier is known here")
        }
        for (key, value) in properties {
            switch (key, value) {
            case (name, .text(let text)) where policy.purpose != .revocation: policy.name = text
            case (client, .number(let number)) where ends.contains(policy.purpose) && (0...1).contains(number):
                policy.isClient = number == 1
            case (flags, .number(let number)) where policy.purpose == .revocation && number >= 0:
                policy = try revocation(UInt64(number))
            default:
                throw KeychainError(
                    .param, "a property of the policy is not known, or is of another type than it has to be")
            }
        }
        if policy.purpose == .revocation, policy.revocation.isEmpty { policy.revocation = [.ocsp, .lists] }
        return policy
    }

    package static func properties(of policy: TrustPolicy) -> ResultTree {
        var pairs: [(key: String, value: ResultTree)] = [(identifier, .text(policy.purpose.identifier))]
        if let text = policy.name { pairs.append((name, .text(text))) }
        if ends.contains(policy.purpose), policy.isClient { pairs.append((client, .flag(true))) }
        if policy.purpose == .revocation { pairs.append((flags, .number(Int64(clamping: policy.revocation.rawValue)))) }
        return .dictionary(pairs)
    }

    private static func policy(_ identifier: String) -> TrustPolicy? {
        if let purpose = TrustPolicy.Purpose(identifier: identifier) { return TrustPolicy(purpose) }
        for purpose in ends {
            if identifier == purpose.identifier + ".1" { return TrustPolicy(purpose) }
            if identifier == purpose.identifier + ".2" { return TrustPolicy(purpose, isClient: true) }
        }
        return nil
    }
}
