import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc

extension Services {
    /// The list that says which trust settings are the person's; nil where there never was one.
    ///
    /// It opens with the default keychain. If the keychain exists and cannot be opened, the denials are unknown. A user
    /// without a keychain has denied nothing, and a full disk must not keep that user from every server.
    ///
    /// - Parameter failure: why the keychain is not open, where that is known.
    func trustLedger(orElse failure: KeychainError?) throws(KeychainError) -> ApplicationLedger? {
        try identities.trustLedger(of: deployment, orElse: failure)
    }
}

extension IdentityService {
    /// See ``Services/trustLedger(orElse:)``.
    func trustLedger(
        of deployment: Deployment, orElse failure: KeychainError? = nil
    ) throws(KeychainError) -> ApplicationLedger? {
        do throws(KeychainError) { return try openLedger(orElse: failure) } catch {
            guard deployment.hasNeverHadKeychain else { throw error }
            return nil
        }
    }
}

extension Deployment {
    /// Whether there is neither a default keychain nor anything that one leaves elsewhere.
    ///
    /// A path that cannot be checked counts as existing.
    var hasNeverHadKeychain: Bool {
        [
            "\(storeFolder(of: .default))/items.db", markFile(of: .default), "\(enclaveFolder)/keybags",
            "\(stateFolder)/identity/applications",
        ].allSatisfy { path in
            do throws(Errno) {
                _ = try FileCalls.system.status(at: path, in: AT_FDCWD)
                return false
            } catch .notFound { return true } catch .notFolder { return true } catch { return false }
        }
    }
}
