import CallerIdentity
import ChatelaineModel

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

    init(identity: Identity, groups: [AccessGroup]) {
        self.identity = identity
        self.groups = groups
        refusal = identity.refusal
    }

    /// The caller itself, where it is not refused; throws `errSecAuthFailed`.
    func admitted() throws(KeychainError) -> Caller {
        if let refusal { throw refusal }
        return self
    }
}
