import CallerIdentity
import ChatelaineIPC
import ChatelaineModel

/// Carries out requests about trust in certificates.
enum TrustHandler {
    static func evaluate(
        _ request: EvaluateTrust, _ context: inout RequestContext
    ) throws(KeychainError) -> TrustVerdict {
        let caller = context.knownCaller?.identity.executablePath.text
        let services = context.services
        return try services.trust.evaluate(
            request.question, for: caller, ledger: services.identities.opened?.ledger)
    }

    static func roots(_: ReadSystemRoots, _ context: inout RequestContext) throws(KeychainError) -> CertificateList {
        CertificateList(try context.services.trust.roots.index().roots.map(\.certificate))
    }

    static func carryOut(
        _ command: TrustSettingsCommand, _ passcode: GivenPasscode?, _ context: inout RequestContext
    ) throws(KeychainError) -> [TrustSetting] {
        let services = context.services
        let ledger = try services.identified().ledger
        if case .list(let domain) = command {
            return switch domain {
            case .user: try services.trust.user?.settings(in: ledger) ?? []
            case .admin: try services.trust.admin.settings()
            case .system: []
            }
        }
        guard let user = services.trust.user else {
            throw KeychainError(
                .param, "root believes root's files alone: set trust for the machine, by `security add-trusted-cert -d`"
            )
        }
        var settings = command == .removeAll ? [] : try user.settings(in: ledger)
        switch command {
        case .list, .removeAll: break
        case .set(let certificate, let constraints):
            let setting = try services.trust.setting(for: certificate, constraints)
            settings.removeAll { $0.certificate == certificate }
            settings.append(setting)
        case .remove(let certificate):
            guard settings.contains(where: { $0.certificate == certificate }) else {
                throw KeychainError(.itemNotFound, "there are no settings of trust for this certificate")
            }
            settings.removeAll { $0.certificate == certificate }
        }
        let decision = ApplicationLedger.Decision.setTrust(try user.write(settings))
        if let passcode {
            guard ledger.needsEndorsement else {
                throw KeychainError(.param, "there is no passcode; decisions about trust need none")
            }
            try services.identities.carryOut(decision, passcode)
        } else {
            try ledger.carryOut(decision)
        }
        user.removeOthers(in: ledger)
        services.log.notice("what is trusted was changed", ["certificates": "\(settings.count)"])
        return settings
    }
}
