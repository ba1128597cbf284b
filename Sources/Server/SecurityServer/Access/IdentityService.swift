import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import ItemStore
import TrustProtocol

/// Identifies callers, by a resolver and the list of programs that it uses.
///
/// The list belongs to the user and not to a keychain. But its key comes with the default keychain, whose mark also
/// remembers how often the list was saved. So the list opens with that keychain, and stays in use while it is closed
/// and opened again. Requests to other keychains then never wait to identify their callers. They do wait until the
/// default keychain was open once.
package final class IdentityService: Sendable {
    /// A resolver and a list of programs that belong together.
    package struct Opened: Sendable {
        let resolver: IdentityResolver
        package let ledger: ApplicationLedger
        /// The store whose passcode the decisions of the list need.
        let store: StoreIdentifier
    }

    /// The user whose programs are listed.
    private let user: uid_t
    private let folder: String
    private let enclave: EnclaveConnection
    /// The paths of the `security` command, which serves whoever runs it.
    let tools = sharedPrograms()
    /// Judges signatures, whichever list is in use.
    let signatures: SignatureValidator
    private let current = AdaptiveMutex<Opened?>(nil)
    /// Held while a list is read: from the last change of the former one to the first change of the next one.
    private let opening = AdaptiveMutex<Void>(())

    /// Makes a service that has no list yet.
    ///
    /// - Parameters:
    ///   - stateFolder: the daemon's state folder, which exists by the time the list opens.
    ///   - verifier: verifies signatures and certificates.
    ///   - places: the files in which root says which signatures count.
    package init(
        user: uid_t, stateFolder: String, enclave: EnclaveConnection,
        verifier: any SignatureVerifying, places: SignaturePlaces = .system
    ) {
        self.user = user
        self.enclave = enclave
        signatures = SignatureValidator(verifier, places: places)
        folder = stateFolder + "/identity"
    }

    /// The resolver and list in use, or nil before the first opening.
    package var opened: Opened? { current.withLock { $0 } }

    /// Reads the list with the keys of the default keychain, which was just opened.
    package func open(with store: ItemStore) throws(KeychainError) {
        try opening.withLock { (_) throws(KeychainError) in
            // Two lists that write one file would each lose the other's changes.
            opened?.ledger.retire()
            do throws(KeychainError) {
                let next = try read(with: store)
                try review(next)
                current.withLock { $0 = next }
            } catch {
                current.withLock { $0 = nil }
                throw error
            }
        }
    }

    private func read(with store: ItemStore) throws(KeychainError) -> Opened {
        try RuntimeFolder(folder).prepare()
        try RuntimeFolder(folder).settle()
        // Earlier versions kept digests of programs there (identity-files.md). A file that stays is not read.
        for name in ["digests", "digests.new", "digests.damaged"] {
            try? FileCalls.system.unlink("\(folder)/\(name)", in: AT_FDCWD)
        }
        // A list of the first version is imported once. Nobody who puts one back later has a key that opens it.
        let isTakenIn = try store.notedLedgerGeneration() > 0
        let ledger = try ApplicationLedger(
            folder: folder, key: store.keys[.applications], formerKey: isTakenIn ? nil : store.keys[.record],
            user: user, onSave: { [weak store] in store?.noteLedger(generation: $0) })
        store.noteLedger(generation: ledger.generation)
        let resolver = IdentityResolver(
            reference: try ReferenceNamespaces.own(), ledger: ledger, digests: DigestCache(),
            sharedPaths: tools, signatures: signatures)
        return Opened(resolver: resolver, ledger: ledger, store: store.identifier)
    }

    /// Finds out which decisions count: all where there is no passcode, otherwise those that the key custodian has
    /// signed.
    func review() throws(KeychainError) {
        if let opened { try review(opened) }
    }

    private func review(_ opened: Opened) throws(KeychainError) {
        var report = try enclave.passcodeReport(for: .agent, in: opened.store)
        var isEndorsed = false
        if report.hasPasscode, let claim = opened.ledger.claim {
            isEndorsed = try enclave.isEndorsed(claim, in: opened.store)
            // The last signature may have changed since the first report.
            report = try enclave.passcodeReport(for: .agent, in: opened.store)
        }
        opened.ledger.settle(
            needsEndorsement: report.hasPasscode, isEndorsed: isEndorsed, hasSignedTrust: report.hasSignedTrust)
    }

    /// Carries out a decision for which the passcode was given.
    @discardableResult
    package func carryOut(
        _ decision: ApplicationLedger.Decision, _ passcode: GivenPasscode
    ) throws(KeychainError) -> ApplicationRecord? {
        let (report, record) = try endorsed(decision, passcode)
        try report.requireRight()
        return record
    }

    /// Carries out a decision by a passcode that was typed in a dialog, which asks again where it was wrong.
    func decide(
        _ decision: ApplicationLedger.Decision, _ passcode: GivenPasscode
    ) throws(KeychainError) -> PasscodeVerdict { PasscodeVerdict(try endorsed(decision, passcode).report) }

    /// Carries out a decision if the passcode is right.
    private func endorsed(
        _ decision: ApplicationLedger.Decision, _ passcode: GivenPasscode
    ) throws(KeychainError) -> (report: PasscodeReport, record: ApplicationRecord?) {
        guard let opened, opened.store == passcode.store else {
            throw KeychainError(.notAvailable, "the list of programs is being opened anew; try again")
        }
        let draft = try opened.ledger.prepare(decision, isToBeEndorsed: true)
        let report = try enclave.call(
            EndorseRecords(draft.digest, passcode.origin, in: passcode.store), passcodes: passcode.files,
            hasPlace: passcode.hasPlace)
        guard report.outcome == .done else { return (report, nil) }
        guard let endorsement = report.endorsement else { throw EnclaveConnection.confused }
        let record = try opened.ledger.carryOut(draft, endorsement)
        // From here on no older list counts.
        try review(opened)
        return (report, record)
    }

    /// Keeps all decisions in force under the first passcode.
    func confirmAll(_ passcode: GivenPasscode) throws(KeychainError) {
        guard let ledger = opened?.ledger, try ledger.prepare(.confirmAll, isToBeEndorsed: true).widensAccess
        else { return try review() }
        do throws(KeychainError) { _ = try carryOut(.confirmAll, passcode) } catch {
            try review()
            throw error
        }
    }

    /// Records the program of a caller that stores something for the first time; see ``IdentityResolver/pin(_:)``.
    func pin(_ identity: Identity) throws(KeychainError) {
        if let refusal = identity.refusal { throw refusal }
        guard identity.isToBePinned else { return }
        guard let opened else { throw KeychainError(.internalComponent, "a caller is known and no list of programs") }
        do throws(KeychainError) {
            try opened.resolver.pin(identity)
        } catch {
            guard opened.ledger.isRetired, let next = opening.withLock({ _ in self.opened }) else { throw error }
            try next.resolver.pin(identity)
        }
    }

    /// The paths at which the `security` command may be installed beside this program.
    private static func sharedPrograms() -> Set<CanonicalPath> {
        let folder = ProgramFolder.ofThisProcess
        let candidates: [String] = ["\(folder)/security", "\(folder)/../../bin/security"]
        return Set(candidates.compactMap { path in (try? RealPath.of(path)).flatMap { CanonicalPath($0) } })
    }
}

extension IdentityService {
    /// The list of programs, which stays in use while the default keychain is opened anew.
    ///
    /// - Parameter failure: why the list is not open, where that is known.
    func openLedger(orElse failure: KeychainError? = nil) throws(KeychainError) -> ApplicationLedger {
        if let opened { return opened.ledger }
        throw failure ?? KeychainError(.notAvailable, "it is being opened anew; try again")
    }
}
