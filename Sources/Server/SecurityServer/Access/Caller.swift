import CallerIdentity
import ChatelaineModel
import ChatelaineSystem

/// Who asks, under the decisions of some moment.
///
/// A reference that its session keeps from request to request, since it rarely changes.
package final class Caller: Sendable {
    let identity: Identity
    var principal: Principal { identity.principal }
    /// The principal's access groups, the default one first.
    let groups: [AccessGroup]
    /// What every request that touches items is answered with, for a changed program (behaviour/callers.md, 9).
    let refusal: KeychainError?
    /// What a person may be asked about a changed program that nobody has decided about on this connection.
    let change: CallerChange?
    private let asker = AdaptiveMutex<ACLCaller?>(nil)

    init(identity: Identity, groups: [AccessGroup], change: CallerChange? = nil) {
        self.identity = identity
        self.groups = groups
        refusal = identity.refusal
        self.change = change
    }

    /// The caller as access objects of file keychains know it, which is worked out once.
    ///
    /// - Parameter tools: as for ``ACLCaller/init(_:tools:)``; they are the daemon's and stay.
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

/// A change of a caller's program, and whether its process still runs that.
struct CallerChange: Sendable {
    let change: ProgramChange
    let isStillRunning: @Sendable () -> Bool
}

/// What a person said of a change, for as long as the connection lasts.
struct ChangeAnswer: Equatable {
    let change: ProgramChange
    let isAdmitted: Bool
}
