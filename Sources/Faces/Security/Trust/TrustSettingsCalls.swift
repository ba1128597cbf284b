import ChatelaineIPC
import ChatelaineModel
import ChatelaineTrustSettings

/// The `SecTrustSettings` calls, for Swift and for C alike.
package enum TrustSettingsCalls {
    package static func certificates(_ domain: SecTrustSettingsDomain) throws(KeychainError) -> [SecCertificate] {
        let settings = try of(domain).all()
        guard !settings.isEmpty else {
            throw KeychainError(.noTrustSettings, "nothing is set about trust in certificates")
        }
        return settings.map { SecCertificate(der: $0.certificate) }
    }

    package static func settings(
        of certificate: SecCertificate, _ domain: SecTrustSettingsDomain
    ) throws(KeychainError) -> ResultTree {
        .array(try of(domain).setting(of: certificate.der).constraints.map(tree))
    }

    package static func modificationDate(
        of certificate: SecCertificate, _ domain: SecTrustSettingsDomain
    ) throws(KeychainError) -> ResultTree {
        .date(CertificateCalls.date(try of(domain).setting(of: certificate.der).modified))
    }

    package static func set(
        _ certificate: SecCertificate, _ domain: SecTrustSettingsDomain, _ dictionaries: [[QueryDictionary.Pair]]
    ) throws(KeychainError) {
        let constraints = try dictionaries.map(constraint)
        try changing(domain).set(constraints, of: certificate.der)
    }

    package static func remove(
        _ certificate: SecCertificate, _ domain: SecTrustSettingsDomain
    ) throws(KeychainError) { try changing(domain).remove(certificate.der) }

    package static func external(_ domain: SecTrustSettingsDomain) throws(KeychainError) -> ResultTree {
        .data(try of(domain).externalRepresentation())
    }

    package static func importExternal(
        _ data: QueryValue, _ domain: SecTrustSettingsDomain
    ) throws(KeychainError) {
        guard case .data(let bytes) = data else {
            throw KeychainError(.param, "an external representation of trust settings is data")
        }
        try changing(domain).importRepresentation(bytes)
    }

    /// - Throws: `errSecParam` for a number that stands for no domain.
    package static func domain(_ number: UInt32) throws(KeychainError) -> SecTrustSettingsDomain {
        guard let domain = SecTrustSettingsDomain(rawValue: number) else {
            throw KeychainError(.param, "\(number) is no domain of trust settings")
        }
        return domain
    }

    package static var noSettings: KeychainError {
        KeychainError(
            .param,
            "settings of trust are a dictionary, or an array of \(TrustLimits.maximumConstraints) at the most")
    }

    private static func of(_ domain: SecTrustSettingsDomain) -> DomainTrustSettings {
        switch domain {
        case .user: DomainTrustSettings(.user, of: KeychainClient.shared)
        case .admin: DomainTrustSettings(.admin, of: KeychainClient.shared)
        case .system: DomainTrustSettings(.system, of: KeychainClient.shared)
        }
    }

    /// - Throws: `errSecInteractionNotAllowed` where the call needs a person, and the program forbids to ask.
    private static func changing(_ domain: SecTrustSettingsDomain) throws(KeychainError) -> DomainTrustSettings {
        if domain == .user, !UserInteraction.isAllowed, try KeychainClient.shared.device(.state).hasPasscode {
            throw KeychainError(
                .interactionNotAllowed, "settings of trust take the passcode, and the program forbids to ask for it")
        }
        return of(domain)
    }

    // MARK: Dictionaries

    /// - Throws: `errSecParam` for an unknown key or value; ignoring it would make the setting apply to more than it
    ///   says.
    private static func constraint(_ pairs: [QueryDictionary.Pair]) throws(KeychainError) -> TrustConstraint {
        var constraint = TrustConstraint()
        var policyName: String?
        for (key, value) in pairs {
            switch (key, value) {
            case (TrustConstraintPairs.policy, .policy(let policy)):
                (constraint.policy, policyName) = (policy.purpose, policy.name)
            case (TrustConstraintPairs.policyString, .text(let text)): constraint.policyName = text
            case (TrustConstraintPairs.application, .trustedApplication(let application)):
                constraint.application = application.path.text
            // ``tree(_:)`` returns the path where the program no longer exists.
            case (TrustConstraintPairs.application, .text(let path)): constraint.application = path
            case (TrustConstraintPairs.allowedError, .number(let number)):
                constraint.allowedError = try TrustConstraintPairs.allowedError(number)
            case (TrustConstraintPairs.keyUsage, .number(let number)):
                constraint.keyUsage = try TrustConstraintPairs.keyUsage(number)
            case (TrustConstraintPairs.result, .number(let number)):
                constraint.result = try TrustConstraintPairs.result(number)
            default:
                throw KeychainError(.param, "\(key) is no setting of trust, or of another type than it has to be")
            }
        }
        // A policy for one host must not apply to all hosts.
        constraint.policyName = constraint.policyName ?? policyName
        return constraint
    }

    private static func tree(_ constraint: TrustConstraint) -> ResultTree {
        var pairs: [(key: String, value: ResultTree)] = [
            (TrustConstraintPairs.result, .number(Int64(constraint.result.rawValue)))
        ]
        if let purpose = constraint.policy {
            pairs.append((TrustConstraintPairs.policy, .policy(TrustPolicy(purpose))))
        }
        if let name = constraint.policyName { pairs.append((TrustConstraintPairs.policyString, .text(name))) }
        if let path = constraint.application {
            let application = try? KeychainClient.shared.trustedApplication(at: path)
            pairs.append((TrustConstraintPairs.application, application.map { .trustedApplication($0) } ?? .text(path)))
        }
        if let error = constraint.allowedError { pairs.append((TrustConstraintPairs.allowedError, .number(error))) }
        if let usage = constraint.keyUsage { pairs.append((TrustConstraintPairs.keyUsage, .number(Int64(usage)))) }
        return .dictionary(pairs)
    }
}
