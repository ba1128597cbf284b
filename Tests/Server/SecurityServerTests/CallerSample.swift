import ChatelaineModel

@testable import CallerIdentity
@testable import SecurityServer

extension Caller {
    /// A caller as the resolver would identify it, without a process.
    static func sample(
        _ path: String = "/usr/local/bin/mail", user: UInt32 = 1000, state: ApplicationState = .pinned,
        inKeychainOf owner: UInt32 = 1000
    ) -> Caller {
        guard let canonical = CanonicalPath(path) else { preconditionFailure("\(path) is no canonical path") }
        let identity = Identity(
            principal: Principal(user: user, application: AccessGroup("pinned:" + path)), assurance: .file,
            state: state, pid: 1, group: 100, executablePath: canonical, displayName: path, hints: [], digest: nil,
            ledgerRevision: 1)
        return AccessPolicy.caller(identity, inKeychainOf: owner)
    }
}
