/// Which items a search means by what constrains their use.
package enum ConstraintScope: Hashable, Sendable {
    /// All, whatever their constraints are.
    case any
    /// Those that their protection class alone protects.
    case unconstrained
    /// Those with these constraints, not counting what was filled in when an item was stored.
    case exactly(AccessConstraints)

    /// What a query means that names an access control.
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
