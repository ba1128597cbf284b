import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol

/// One change of the person's trust settings: the question about it, and how it is carried out.
///
/// With a passcode, the change is carried out in the same step in which the passcode is checked. So what is signed is
/// what the person was asked about.
final class TrustChange: PasscodeChecking {
    private let command: TrustSettingsCommand
    private let services: Services
    private let user: UserTrustSettings
    private let opened: IdentityService.Opened
    /// The process that asked for the change, since a passcode is checked on another thread.
    private let originator = Originator.pid
    private let settings = AdaptiveMutex<[TrustSetting]?>(nil)
    /// The settings of the command, which trustd reads once, before anybody is asked.
    private let made: [TrustSetting]
    /// The description of the change for the person.
    ///
    /// A stranger has chosen the names in it.
    let label: String
    /// Whether the change could make a certificate trusted that is not, or lift a denial.
    let widensTrust: Bool
    /// Whether the change makes the person's own settings trust a certificate.
    ///
    /// That is more than lifting a denial.
    let addsTrust: Bool

    /// Works out what the command changes.
    ///
    /// - Throws: why there is nothing to ask about: `errSecItemNotFound`, `errSecParam`.
    init(
        _ command: TrustSettingsCommand, _ services: Services, _ user: UserTrustSettings,
        _ opened: IdentityService.Opened
    ) throws(KeychainError) {
        (self.command, self.services, self.user, self.opened) = (command, services, user, opened)
        made = try Self.made(by: command, services.trust)
        let former: [TrustSetting]
        do throws(KeychainError) { former = try user.settings(in: opened.ledger) } catch {
            // If the settings are lost, the remedy is to remove them all.
            guard case .removeAll = command else { throw error }
            label = "nothing set for any; what was denied is not known"
            (widensTrust, addsTrust) = (true, false)
            return
        }
        let changed = try Self.settings(after: command, made, former)
        let difference = TrustDifference(from: former, to: changed)
        (widensTrust, addsTrust) = (difference.widensTrust, !difference.trusted.isEmpty)
        switch command {
        case .set:
            // A word of ours comes first, since a certificate can be named “denied: …”.
            label = made.first.map { "\(difference.word(for: $0)): \($0.summary)" } ?? ""
        case .remove(let certificate):
            let name = former.first { $0.certificate == certificate }?.summary ?? ""
            label = difference.widensTrust ? "denied no more: \(name)" : "nothing set any more for: \(name)"
        case .removeAll, .replace, .list: label = difference.text(of: changed.count)
        }
    }

    /// The settings after the change; nil before it is carried out.
    var outcome: [TrustSetting]? { settings.withLock { $0 } }

    func standing() throws(KeychainError) -> PasscodeStanding {
        PasscodeStanding(try services.enclave.passcodeReport(for: .agent, in: opened.store))
    }

    func check(_ pipe: Int32) throws(KeychainError) -> PasscodeVerdict {
        try carryOut { (decision) throws(KeychainError) in
            let verdict = try services.identities.decide(
                decision, GivenPasscode(origin: .agent, store: opened.store, files: [pipe]))
            if case .right = verdict { return (verdict, true) }
            return (verdict, false)
        }
    }

    /// Carries out the change with a passcode that came with the request, or without one.
    func carryOut(_ passcode: GivenPasscode?) throws(KeychainError) -> [TrustSetting] {
        if let passcode {
            // Dialogs about trust must not wait for the turn of this program.
            _ = try services.enclave.withPlace(for: passcode) { (passcode) throws(KeychainError) in
                try carryOut { (decision) throws(KeychainError) in
                    (try services.identities.carryOut(decision, passcode), true)
                }
            }
        } else {
            try carryOut { (decision) throws(KeychainError) in (try opened.ledger.carryOut(decision), true) }
        }
        return outcome ?? []
    }

    /// Writes the new settings, and has the list of programs name them once `body` reports the decision.
    @discardableResult
    private func carryOut<Answer: Sendable>(
        _ body: (ApplicationLedger.Decision) throws(KeychainError) -> (answer: Answer, isDecided: Bool)
    ) throws(KeychainError) -> Answer {
        let next = { () throws(KeychainError) -> [TrustSetting] in
            if case .removeAll = self.command { return [] }
            // Other settings may have been made since the question.
            return try Self.settings(after: self.command, self.made, try self.user.settings(in: self.opened.ledger))
        }
        let (answer, changed) = try user.change(in: opened.ledger, to: next, body)
        guard let changed else { return answer }
        settings.withLock { $0 = changed }
        services.log.notice("what is trusted was changed", ["certificates": "\(changed.count)"])
        try Originator.serving(originator) { () throws(KeychainError) in
            services.keychainEvents.post(.trustSettingsChanged, of: nil)
        }
        return answer
    }

    /// The settings in a command, as trustd reads them.
    private static func made(
        by command: TrustSettingsCommand, _ trust: TrustService
    ) throws(KeychainError) -> [TrustSetting] {
        switch command {
        case .list, .removeAll, .remove: return []
        case .set(let certificate, let constraints): return [try trust.setting(for: certificate, constraints)]
        case .replace(let given):
            guard Set(given.map(\.certificate)).count == given.count else {
                throw KeychainError(.param, "a certificate stands twice in the settings; nothing was changed")
            }
            return try given.map { (setting) throws(KeychainError) in
                var made = try trust.setting(for: setting.certificate, setting.constraints)
                // The former date is kept, unless it is in the future.
                made.modified = min(made.modified, setting.modified)
                return made
            }
        }
    }

    private static func settings(
        after command: TrustSettingsCommand, _ made: [TrustSetting], _ present: [TrustSetting]
    ) throws(KeychainError) -> [TrustSetting] {
        switch command {
        case .list: return present
        case .removeAll: return []
        case .set(let certificate, _): return present.filter { $0.certificate != certificate } + made
        case .remove(let certificate):
            guard present.contains(where: { $0.certificate == certificate }) else {
                throw KeychainError(.itemNotFound, "there are no settings of trust for this certificate")
            }
            return present.filter { $0.certificate != certificate }
        case .replace: return made
        }
    }
}
