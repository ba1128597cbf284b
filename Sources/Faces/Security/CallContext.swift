import ChatelaineIPC
import ChatelaineModel

/// An object that programs give under `kSecUseAuthenticationContext`: `LAContext`, of a module above this one.
package protocol AuthenticatingContext: AnyObject {
    /// What it says at the moment of the call.
    var callContext: CallContext { get }
}

/// What an authentication context means for one call.
package final class CallContext: QueryContext {
    private let session: AuthenticationSession
    private let allowsInteraction: Bool
    private let reason: OperationPrompt?

    package init(_ session: AuthenticationSession, allowsInteraction: Bool, reason: OperationPrompt?) {
        self.session = session
        self.allowsInteraction = allowsInteraction
        self.reason = reason
    }

    /// The context of a dictionary; nil where it has none.
    static func of(_ pairs: [QueryDictionary.Pair]) -> CallContext? { QueryParser.context(of: pairs) as? CallContext }

    /// Has a call say what the context says, where it does not say it itself.
    func complete(_ ui: inout AuthenticationUI, _ prompt: inout OperationPrompt?) {
        if !allowsInteraction, ui == .allow { ui = .fail }
        prompt = prompt ?? reason
    }

    /// Who puts the call. Nothing is remembered for a context in which nothing was shown or given and nothing can be.
    var caller: any KeychainCalling { allowsInteraction || session.isInUse ? session : KeychainClient.shared }
}
