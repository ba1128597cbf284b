import ChatelaineIPC
import ChatelaineModel

/// An authentication context that a program passes under `kSecUseAuthenticationContext`.
///
/// `LAContext` conforms; it belongs to a module above this one.
package protocol AuthenticatingContext: AnyObject {
    /// The settings of the context at the moment of the call.
    var callContext: CallContext { get }
}

/// The effect of an authentication context on one call.
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

    /// Fills in the settings of a call from the context, where the call does not set them itself.
    func complete(_ ui: inout AuthenticationUI, _ prompt: inout OperationPrompt?) {
        if !allowsInteraction, ui == .allow { ui = .fail }
        prompt = prompt ?? reason
    }

    /// The sender of the call: the context's session, or the shared client for a context without effect.
    ///
    /// A context has no effect when interaction is forbidden and nothing was shown or given in it.
    var caller: any KeychainCalling { allowsInteraction || session.isInUse ? session : KeychainClient.shared }
}
