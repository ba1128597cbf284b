import ChatelaineIPC
import ChatelaineModel

/// An authentication context that a program passes under `kSecUseAuthenticationContext`.
///
/// `LAContext` conforms; it belongs to a module above this one.
package protocol AuthenticatingContext: AnyObject {
    var contextSettings: any ContextSettings { get }
}

/// What an authentication context says now.
///
/// It is read at each use: a program may find a key first, and set the reason of each signature afterwards.
package protocol ContextSettings: Sendable {
    var session: AuthenticationSession { get }
    var allowsInteraction: Bool { get }
    /// The reason that a dialog shows where a call gives none.
    var reason: OperationPrompt? { get }
}

/// What one call says about asking a person: by its context, and by its own dictionary.
package final class CallContext: QueryContext {
    private let settings: (any ContextSettings)?
    /// What the dictionary itself says, for the uses of a key that its call returns.
    private let own: (forbidsInteraction: Bool, prompt: OperationPrompt?)

    package convenience init(_ settings: any ContextSettings) { self.init(settings, (false, nil)) }

    private init(_ settings: (any ContextSettings)?, _ own: (forbidsInteraction: Bool, prompt: OperationPrompt?)) {
        (self.settings, self.own) = (settings, own)
    }

    /// The context of a dictionary; nil where it has none.
    static func of(_ pairs: [QueryDictionary.Pair]) -> CallContext? { QueryParser.context(of: pairs) as? CallContext }

    /// What the keys in the result of a call keep for their uses; nil for nothing.
    ///
    /// - Parameters:
    ///   - context: the context of the call.
    ///   - ui: what its dictionary says, before ``complete(_:_:)``. That a search leaves items out is about the search.
    ///   - prompt: the prompt in the dictionary.
    static func kept(
        by context: CallContext?, _ ui: AuthenticationUI, _ prompt: OperationPrompt?
    ) -> CallContext? {
        guard ui == .fail || prompt != nil else { return context }
        return CallContext(context?.settings, (ui == .fail, prompt))
    }

    /// Fills in the settings of a call, where the call does not set them itself.
    func complete(_ ui: inout AuthenticationUI, _ prompt: inout OperationPrompt?) {
        let forbidsInteraction = own.forbidsInteraction || !(settings?.allowsInteraction ?? true)
        if forbidsInteraction, ui == .allow { ui = .fail }
        prompt = prompt ?? own.prompt ?? settings?.reason
    }

    /// Refuses a context that was invalidated, for calls that do not go through its session.
    ///
    /// - Throws: `errSecAuthFailed`.
    func requireValid() throws(KeychainError) { try settings?.session.requireValid() }

    /// The sender of the call: the context's session, or the shared client for a context without effect.
    ///
    /// A context has no effect when interaction is forbidden and nothing was shown or given in it.
    var caller: any KeychainCalling {
        guard let settings, settings.allowsInteraction || settings.session.isInUse else {
            return KeychainClient.shared
        }
        return settings.session
    }
}
