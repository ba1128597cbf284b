import ChatelaineModel
import Glibc
import ItemStore
import SecurityServer

/// securityd as installed, with one more decider: it returns the secrets of some items only when a person allows it.
///
///     asking-securityd PINENTRY SECONDS
///
/// An item whose account begins with `consent` needs a person's consent, one that begins with `passcode` the passcode.
@main
enum AskingSecurityd {
    static func main() {
        var options = Daemon.Options()
        options.deciders = [AskingDecider()]
        let words = CommandLine.arguments.dropFirst()
        guard let pinentry = words.first, let seconds = words.last.flatMap({ UInt32($0) }) else { exit(2) }
        options.pinentry = pinentry
        options.dialogSeconds = seconds
        if case .failed(let error) = Daemon.run(options) { print("\(error)") }
        exit(1)
    }
}

private struct AskingDecider: AccessDecider {
    func decide(
        _ operation: RowOperation, on row: RowAccess, for caller: Caller, in keychain: OpenedKeychain,
        _ authentication: inout RequestAuthentication
    ) throws(KeychainError) -> AccessDecision {
        guard operation == .readSecret, case .text(let account)? = try row.attributes()[.account] else {
            return .allowed
        }
        if account.hasPrefix("consent") { return .needsPerson("account \(account)") }
        if account.hasPrefix("passcode") { return .needsPerson("account \(account)", by: .passcode(taking: nil)) }
        return .allowed
    }
}
