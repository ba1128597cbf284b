import CallerIdentity
import ChatelaineModel
import Glibc

/// Which access groups a caller has; the one place where access to the data protection keychain is decided.
///
/// Without signed entitlements a program has one group, its application identifier (behaviour/access-groups.md, 1).
/// Items of other groups do not exist for it; naming one is refused, whether it exists or not. Groups are those of one
/// user's keychain: the same name is another group for anybody else.
enum AccessPolicy {
    /// The groups of a principal in the keychain of `user`, the default one first; none in anybody else's.
    static func groups(of principal: Principal, inKeychainOf user: uid_t) -> [AccessGroup] {
        principal.user == user ? [principal.defaultGroup] : []
    }

    /// A caller of this identity, with its groups.
    static func caller(_ identity: Identity, inKeychainOf user: uid_t) -> Caller {
        Caller(identity: identity, groups: groups(of: identity.principal, inKeychainOf: user))
    }

    /// The groups that a search looks at. Throws `errSecMissingEntitlement` for a foreign group.
    static func groups(of caller: Caller, named group: AccessGroup?) throws(KeychainError) -> [AccessGroup] {
        guard let group else { return caller.groups }
        guard caller.groups.contains(group) else {
            throw KeychainError(
                .missingEntitlement,
                "\(caller.identity.executablePath) has no right to the access group that kSecAttrAccessGroup names: leave that "
                    + "key out, and its own group “\(caller.principal.defaultGroup)” is meant")
        }
        return [group]
    }

    /// The group of a new item.
    static func defaultGroup(of caller: Caller, named group: AccessGroup?) throws(KeychainError) -> AccessGroup {
        guard let group = try groups(of: caller, named: group).first else {
            throw KeychainError(.missingEntitlement, "\(caller.identity.executablePath) has no access group")
        }
        return group
    }
}
