import CallerIdentity
import ChatelaineModel
import Glibc
import ItemStore

/// Decides by access groups; the first decider of the data protection keychain.
///
/// A signed program has the groups that its signature claims. Any other program has its application identifier only
/// (behaviour/access-groups.md, 1 and 2). Items of other groups do not exist for a program, and naming another group is
/// refused, whether it exists or not. Groups belong to one user's keychain: the same name is another group for another
/// user. A program names its groups without their owner. It can neither state nor learn the stored form, which includes
/// the owner.
struct AccessPolicy: AccessDecider {
    /// Refuses callers without groups.
    ///
    /// The search itself looks only at rows of the caller's groups, and compares the sealed name of each row's group.
    package func decide(
        _ operation: RowOperation, on row: RowAccess, for caller: Caller, in keychain: OpenedKeychain,
        _ authentication: inout RequestAuthentication
    ) throws(KeychainError) -> AccessDecision {
        guard !caller.groups.isEmpty else { throw Self.noGroup(caller) }
        return .allowed
    }

    /// The groups of a program in the keychain of `user`, the default one first; none in anybody else's.
    static func groups(of identity: Identity, inKeychainOf user: uid_t) -> [AccessGroup] {
        identity.principal.user == user ? identity.groups : []
    }

    /// A caller of this identity, with its groups.
    ///
    /// - Parameters:
    ///   - change: the change of the program, where the caller is refused for it.
    ///   - answer: what a person said about a change, asked about this process. It says nothing about any other change.
    static func caller(
        _ identity: Identity, inKeychainOf user: uid_t, change: CallerChange? = nil, answer: ChangeAnswer? = nil
    ) -> Caller {
        let groups = groups(of: identity, inKeychainOf: user)
        guard let change, answer?.change == change.change else {
            return Caller(identity: identity, groups: groups, change: change)
        }
        return Caller(identity: answer?.isAdmitted == true ? identity.admittedOnce() : identity, groups: groups)
    }

    /// The groups that a search looks at, at least one.
    ///
    /// Throws `errSecMissingEntitlement` for a foreign group, and for a caller without groups, which must not learn
    /// what does not exist.
    static func groups(of caller: Caller, named group: AccessGroup?) throws(KeychainError) -> [AccessGroup] {
        guard !caller.groups.isEmpty else { throw noGroup(caller) }
        guard let group else { return caller.groups }
        guard let own = caller.groups.first(where: { $0.isCalled(group) }) else {
            throw KeychainError(
                .missingEntitlement,
                "\(caller.identity.executablePath) has no right to the access group that kSecAttrAccessGroup names: leave that "
                    + "key out, and its own group “\(caller.groups[0].name)” is meant")
        }
        return [own]
    }

    /// The group of a new item, or the group to which items are moved.
    static func defaultGroup(of caller: Caller, named group: AccessGroup?) throws(KeychainError) -> AccessGroup {
        guard let group = try groups(of: caller, named: group).first else { throw noGroup(caller) }
        return group
    }

    private static func noGroup(_ caller: Caller) -> KeychainError {
        KeychainError(.missingEntitlement, "\(caller.identity.executablePath) has no access group in this keychain")
    }
}
