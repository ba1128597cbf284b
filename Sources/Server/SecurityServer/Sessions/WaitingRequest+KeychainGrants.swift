import CallerIdentity
import ChatelaineIPC
import ChatelaineModel

/// Writes down what a person said about an item of a file keychain, before the request goes on.
///
/// The answer holds for this use even where the write fails. The request is decided again, and finds either the program
/// listed or the answer as a grant for the unchanged item.
extension WaitingRequest {
    func remember(_ answer: PersonAnswer, about use: KeychainItemUse, by question: PersonQuestion) {
        let (services, pid) = (handler.context.services, handler.context.slot.pid)
        let keychains = services.fileKeychains
        let fields: KeyValuePairs = [
            "path": use.caller.path.text, "keychain": use.keychain.text, "item": Hexadecimal.text(of: use.item.bytes),
            "pid": "\(pid)",
        ]
        do throws(KeychainError) {
            switch answer {
            case .allowed:
                let isWritten = try keychains.withKeychain(at: use.keychain) { (keychain) throws(KeychainError) in
                    try keychain.remember(use, for: question.caller)
                }
                services.log.notice(
                    isWritten
                        ? "a program was listed for an item" : "an item changed while a person was asked about it",
                    fields)
            case .allowedEverywhere:
                guard let former = use.question.former else { return }
                var count = try keychains.withKeychain(at: use.keychain) { (keychain) throws(KeychainError) in
                    try keychain.replace(former, as: use, for: question.caller)
                }
                if case .keychainAccess(let proof) = question.proof, proof.taking.wasPasscode {
                    count += replaceElsewhere(former, as: use, for: question.caller)
                }
                services.log.notice("a program took the place of its former self in \(count) items", fields)
            default: break
            }
        } catch {
            services.log.error("what a person allowed is not remembered: \(error.reason)", fields)
        }
    }

    /// Replaces the program in the user's other unlocked keychains too.
    ///
    /// The passcode is the person's, whichever keychain it was typed for. The password of a keychain is known to
    /// whoever made that keychain, and changes that keychain only.
    ///
    /// - Returns: the number of changed items.
    private func replaceElsewhere(
        _ former: TrustedApplication, as use: KeychainItemUse, for caller: Identity
    ) -> Int {
        let services = handler.context.services
        return services.fileKeychains.unlockedOfUser.filter { $0 != use.keychain }.reduce(0) { count, path in
            do throws(KeychainError) {
                return count
                    + (try services.fileKeychains.withKeychain(at: path) { (keychain) throws(KeychainError) in
                        try keychain.replace(former, as: use, for: caller, isAsked: false)
                    })
            } catch {
                services.log.error(
                    "a changed program is not in its former place: \(error.reason)", ["keychain": path.text])
                return count
            }
        }
    }
}
