import ChatelaineIPC
import ChatelaineModel

/// Runs every check, in the order in which they are shown: the machine, then the files, then the daemon.
///
/// Each check works without the others, and none waits without limit, so that a broken installation is described too.
struct Doctor {
    let keychain: any KeychainService
    let environment: ProcessEnvironment

    func findings() -> [Finding] {
        KernelChecks().findings()
            + NamespaceChecks().findings()
            + MemoryChecks(limit: MemoryChecks.limitOfProcess).findings()
            + findingsOfDeployment
    }

    private var findingsOfDeployment: [Finding] {
        let deployment: Deployment
        do throws(KeychainError) {
            deployment = try keychain.deployment
        } catch {
            return [
                Finding(
                    "deployment", .problem, error.reason,
                    remedy: "until then every call fails; no other keychain is opened in its place")
            ]
        }
        return RuntimeFolderCheck(environment: environment, deployment: deployment).findings()
            + FolderChecks(deployment: deployment, uid: environment.uid).findings()
            + MachineKeychainCheck().findings()
            + MachineTrustCheck().findings()
            + SystemRootsCheck().findings()
            + SpaceCheck(deployment: deployment).findings()
            + DaemonChecks(keychain: keychain).findings()
    }
}
