import CallerIdentity
import ChatelaineModel

/// Which access groups a caller has; the one place where access to the data protection keychain is decided.
///
/// Without signed entitlements a program has one group, its application identifier (rulings, 16). Items of other groups
/// do not exist for it; naming one is refused, whether it exists or not.
enum AccessPolicy {
    /// A caller of this identity, with its groups.
    static func caller(_ identity: Identity) -> Caller { Caller(identity: identity, groups: [identity.identifier]) }

    /// The groups that a search looks at. Throws `errSecMissingEntitlement` for a foreign group.
    static func groups(of caller: Caller, named group: String?) throws(KeychainError) -> [String] {
        guard let group else { return caller.groups }
        guard caller.groups.contains(group) else {
            throw KeychainError(
                .missingEntitlement, "\(caller.identity.executablePath) has no right to the access group that it names")
        }
        return [group]
    }

    /// The group of a new item.
    static func defaultGroup(of caller: Caller, named group: String?) throws(KeychainError) -> String {
        guard let group = try groups(of: caller, named: group).first else {
            throw KeychainError(.missingEntitlement, "\(caller.identity.executablePath) has no access group")
        }
        return group
    }
}
