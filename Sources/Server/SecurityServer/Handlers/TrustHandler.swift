import CallerIdentity
import ChatelaineIPC
import ChatelaineModel

/// Carries out requests about trust in certificates.
enum TrustHandler {
    static let routes: [RequestRoute] = [.init(aside: evaluate), .init(aside: roots), .init(passcode: carryOut)]

    static func evaluate(
        _ request: EvaluateTrust, _ context: inout RequestContext
    ) throws(KeychainError) -> TrustVerdict {
        let caller = context.knownCaller?.identity.executablePath.text
        let (services, failure) = (context.services, context.openingFailure)
        return try services.trust.evaluate(request.question, for: caller, over: context.slot) {
            () throws(KeychainError) in try services.trustLedger(orElse: failure)
        }
    }

    static func roots(_: ReadSystemRoots, _ context: inout RequestContext) throws(KeychainError) -> CertificateList {
        CertificateList(try context.services.trust.roots.index().roots.map(\.certificate))
    }

    static func carryOut(
        _ command: TrustSettingsCommand, _ passcode: GivenPasscode?, _ context: inout RequestContext
    ) throws(KeychainError) -> [TrustSetting] {
        let services = context.services
        let opened = try services.identified()
        if case .list(let domain) = command {
            return switch domain {
            case .user: try services.trust.user?.settings(in: opened.ledger) ?? []
            case .admin: try services.trust.admin.settings()
            case .system: []
            }
        }
        guard let user = services.trust.user else {
            throw KeychainError(
                .param, "root believes root's files alone: set trust for the machine, by `security add-trusted-cert -d`"
            )
        }
        // A person was asked, and the change is done.
        if let outcome = context.access.trustChange?.outcome { return outcome }
        let change = try TrustChange(command, services, user, opened)
        if passcode != nil, !opened.ledger.needsEndorsement {
            throw KeychainError(.param, "there is no passcode; decisions about trust need none")
        }
        // Without a passcode nobody can prove that the person decides. Each program could then make all others trust
        // what it likes.
        guard opened.ledger.needsEndorsement || !change.addsTrust else {
            throw KeychainError(
                .authFailed,
                "what you trust is decided with the passcode, and there is none: “security passcode set” sets one, or root trusts it for the machine by “security add-trusted-cert -d”"
            )
        }
        guard passcode == nil, opened.ledger.needsEndorsement, services.inquiries.canAsk else {
            return try change.carryOut(passcode)
        }
        context.access.trustChange = change
        throw context.access.asking(
            PersonQuestion(
                caller: try context.caller.identity, keychain: context.keychainSlot.name, subject: change,
                proof: .passcode(taking: change)))
    }
}
