import CallerIdentity
import ChatelaineModel
import ChatelaineSystem

/// The caller of a request, as identified at some moment.
///
/// It is a reference that the session keeps from request to request, since it rarely changes.
package final class Caller: Sendable {
    let identity: Identity
    var principal: Principal { identity.principal }
    /// The principal's access groups, the default one first.
    let groups: [AccessGroup]
    /// The error with which every request about items of a changed program fails (behaviour/callers.md, 9).
    let refusal: KeychainError?
    /// The change about which a person may be asked, where nobody has decided about it for this process.
    let change: CallerChange?
    private let asker = AdaptiveMutex<ACLCaller?>(nil)

    init(identity: Identity, groups: [AccessGroup], change: CallerChange? = nil) {
        self.identity = identity
        self.groups = groups
        refusal = identity.refusal
        self.change = change
    }

    /// The caller as access objects of file keychains know it, computed once.
    ///
    /// - Parameter tools: as for ``ACLCaller/init(_:tools:)``. The daemon's tools do not change.
    func asAccessObjectsKnowIt(_ tools: Set<CanonicalPath>) -> ACLCaller {
        asker.withLock { asker in
            if let asker { return asker }
            let made = ACLCaller(identity, tools: tools)
            asker = made
            return made
        }
    }

    /// The caller itself, where it is not refused; throws `errSecAuthFailed`.
    func admitted() throws(KeychainError) -> Caller {
        if let refusal { throw refusal }
        return self
    }
}

/// A change of a caller's program, and a check whether the process still runs the changed program.
struct CallerChange: Sendable {
    let change: ProgramChange
    let isStillRunning: @Sendable () -> Bool
}

/// What a person said about a change, for as long as the process lasts.
struct ChangeAnswer: Equatable {
    let change: ProgramChange
    let isAdmitted: Bool
}
