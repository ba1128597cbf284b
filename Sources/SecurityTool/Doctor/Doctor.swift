import ChatelaineIPC

/// Every check, in the order in which they are shown: the machine, then the files, then the daemon.
///
/// Each works without the others and none waits without end, so that a broken installation is described too.
struct Doctor {
    let keychain: any KeychainService
    let environment: ProcessEnvironment

    func findings() -> [Finding] {
        let deployment = keychain.deployment
        return KernelChecks().findings()
            + NamespaceChecks().findings()
            + MemoryChecks(limit: MemoryChecks.limitOfProcess).findings()
            + RuntimeFolderCheck(environment: environment, deployment: deployment).findings()
            + FolderChecks(deployment: deployment, uid: environment.uid).findings()
            + SpaceCheck(deployment: deployment).findings()
            + DaemonChecks(keychain: keychain).findings()
    }
}
