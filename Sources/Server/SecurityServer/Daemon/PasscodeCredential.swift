import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import ItemStore
import Sealing
import SystemCalls

/// The passcode of a machine that nobody sits at: a credential of systemd (systemd.exec(5), *Credentials*), used once,
/// at the start.
///
/// The bytes never enter this process: the kernel copies them to a sealed file in memory, which goes to the key
/// custodian.
final class PasscodeCredential: Sendable {
    static let name = "chatelaine.passcode"
    private static let variable = "CREDENTIALS_DIRECTORY"
    /// The origin under which these tries are counted.
    ///
    /// No program has this number, since programs have keyed digests.
    private static let origin = PasscodeOrigin.program(Bytes16(repeating: 1))

    private let file: AdaptiveMutex<Int32>
    private let state: AdaptiveMutex<CredentialOutcome?>

    private init(file: Int32, _ outcome: CredentialOutcome?) {
        self.file = AdaptiveMutex(file)
        state = AdaptiveMutex(outcome)
    }

    deinit { forget() }

    /// The value for a start without a credential.
    static var absent: PasscodeCredential { PasscodeCredential(file: -1, nil) }

    /// What became of the credential; nil where there was none, or none was used yet.
    var outcome: CredentialOutcome? { state.withLock { $0 } }

    /// Takes the credential out of the environment.
    ///
    /// Call it while there is one thread, and before the sandbox.
    static func take() -> PasscodeCredential {
        // SAFETY: nobody changes the environment meanwhile.
        guard let folder = getenv(variable).map({ String(cString: $0) }) else { return absent }
        unsetenv(variable)
        let path = "\(folder)/\(name)"
        do throws(Errno) {
            let copy = try sealedCopy(of: path)
            return PasscodeCredential(file: copy, copy < 0 ? .unusable : nil)
        } catch .notFound {
            // The folder may hold other credentials only.
            return absent
        } catch { return PasscodeCredential(file: -1, .unusable) }
    }

    /// A copy that the kernel makes, in memory; -1 where the file has no passcode's length, or cannot be copied.
    private static func sealedCopy(of path: String) throws(Errno) -> Int32 {
        let files = FileCalls.system
        let source = try files.open(path, in: AT_FDCWD, .read)
        let status = try files.status(of: source.number)
        guard status.isRegular, (1...Int64(Limits.passcodeBytes)).contains(status.size) else { return -1 }
        return chatelaine_sealed_memfd_copy("passcode", source.number, Int(status.size))
    }

    /// Unlocks the default keychain where it exists and has a passcode.
    ///
    /// It makes one try, right or wrong.
    func use(_ services: Services) {
        let file = file.withLock { $0 }
        guard file >= 0 else {
            if outcome == .unusable {
                services.log.error("the credential \(Self.name) is no file with 1 to \(Limits.passcodeBytes) bytes")
            }
            return
        }
        defer { forget() }
        let outcome: CredentialOutcome
        do throws(KeychainError) { outcome = try unlock(file, services) } catch {
            services.log.error("the credential \(Self.name) did not unlock", ["reason": error.reason])
            return state.withLock { $0 = .unusable }
        }
        state.withLock { $0 = outcome }
        switch outcome {
        case .unlocked: services.log.notice("the keychain was unlocked", ["by": Self.name])
        case .wrong: services.log.error("the passcode of the credential \(Self.name) is wrong; it is not tried again")
        case .delayed: services.log.error("the credential \(Self.name) was not looked at after too many wrong tries")
        case .noPasscode: services.log.warning("there is the credential \(Self.name), and no passcode")
        case .unusable: break
        }
    }

    private func unlock(_ file: Int32, _ services: Services) throws(KeychainError) -> CredentialOutcome {
        guard FileIdentity(at: services.deployment.storeFolder) != nil else {
            throw KeychainError(.notAvailable, "there is no keychain yet")
        }
        let store = try services.keychains.default.keychain().store.identifier
        guard try services.enclave.passcodeReport(for: Self.origin, in: store).hasPasscode else { return .noPasscode }
        let report = try services.enclave.call(UnlockStore(Self.origin, in: store), passcodes: [file])
        switch report.outcome {
        case .done:
            services.keychains.default.present?.store.noteKeys()
            services.loginKeychain.offer([file], services)
            return .unlocked
        case .wrong: return .wrong
        case .delayed: return .delayed
        }
    }

    private func forget() {
        file.withLock { file in
            if file >= 0 { close(file) }
            file = -1
        }
    }
}
