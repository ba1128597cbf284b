import CallerIdentity
import ChatelaineModel
import Glibc
import ItemStore

/// Which access groups a caller has; the first of those who decide about access to the data protection keychain.
///
/// Without signed entitlements a program has one group, its application identifier (behaviour/access-groups.md, 1).
/// Items of other groups do not exist for it; naming one is refused, whether it exists or not. Groups are those of one
/// user's keychain: the same name is another group for anybody else.
struct AccessPolicy: AccessDecider {
    /// The search has looked at rows of the caller's groups alone, and compared the sealed name of each row's group.
    package func decide(
        _ operation: RowOperation, on row: RowAccess, for caller: Caller, in keychain: OpenedKeychain,
        _ authentication: inout RequestAuthentication
    ) throws(KeychainError) -> AccessDecision {
        guard !caller.groups.isEmpty else { throw Self.noGroup(caller) }
        return .allowed
    }

    /// The groups of a principal in the keychain of `user`, the default one first; none in anybody else's.
    static func groups(of principal: Principal, inKeychainOf user: uid_t) -> [AccessGroup] {
        principal.user == user ? [principal.defaultGroup] : []
    }

    /// A caller of this identity, with its groups.
    static func caller(_ identity: Identity, inKeychainOf user: uid_t) -> Caller {
        Caller(identity: identity, groups: groups(of: identity.principal, inKeychainOf: user))
    }

    /// The groups that a search looks at, at least one. Throws `errSecMissingEntitlement` for a foreign group, and for a caller
    /// who has none: it is not told what is not there.
    static func groups(of caller: Caller, named group: AccessGroup?) throws(KeychainError) -> [AccessGroup] {
        guard !caller.groups.isEmpty else { throw noGroup(caller) }
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
        guard let group = try groups(of: caller, named: group).first else { throw noGroup(caller) }
        return group
    }

    private static func noGroup(_ caller: Caller) -> KeychainError {
        KeychainError(.missingEntitlement, "\(caller.identity.executablePath) has no access group in this keychain")
    }
}
