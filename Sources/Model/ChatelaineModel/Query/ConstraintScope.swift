/// Which items a search includes, by the constraints on their use.
package enum ConstraintScope: Hashable, Sendable {
    /// All items, whatever their constraints.
    case any
    /// Items that only their protection class protects.
    case unconstrained
    /// Items with these constraints, apart from what was filled in when an item was stored.
    case exactly(AccessConstraints)

    /// The scope of a query that names an access control.
    package init(of control: AccessControl) {
        self = control.constraints.map { .exactly($0.unbound) } ?? .unconstrained
    }

    package func admits(_ constraints: AccessConstraints?) -> Bool {
        switch self {
        case .any: true
        case .unconstrained: constraints == nil
        case .exactly(let wanted): constraints?.unbound == wanted
        }
    }
}
