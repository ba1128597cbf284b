import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import ItemStore
import TrustProtocol

/// Who the callers are: the resolver, and the list of programs that it goes by.
///
/// The list is the user's and no keychain's, but its key comes with the default keychain, whose mark also remembers how often it
/// was saved. So it opens with that one. It stays in use while that keychain is closed and opened again, so that a request to
/// another never waits for that to know its caller. Before the default keychain was open once, every request does.
package final class IdentityService: Sendable {
    /// What is in use together.
    package struct Opened: Sendable {
        let resolver: IdentityResolver
        package let ledger: ApplicationLedger
        /// Whose passcode its decisions need.
        let store: StoreIdentifier
    }

    /// Whose programs are known.
    private let user: uid_t
    private let folder: String
    private let enclave: EnclaveConnection
    /// Where the `security` command is, which serves whoever runs it.
    let tools = sharedPrograms()
    /// Who judges signatures, whichever list is in use.
    let signatures: SignatureValidator
    private let current = AdaptiveMutex<Opened?>(nil)
    /// Held while the list is read, from the last change of the former to the first of the next.
    private let opening = AdaptiveMutex<Void>(())

    /// - Parameters:
    ///   - stateFolder: the daemon's, which is there by the time at which this opens.
    ///   - verifier: who looks at signatures and certificates.
    ///   - places: where root says what counts of them.
    package init(
        user: uid_t, stateFolder: String, enclave: EnclaveConnection,
        verifier: any SignatureVerifying, places: SignaturePlaces = .system
    ) {
        self.user = user
        self.enclave = enclave
        signatures = SignatureValidator(verifier, places: places)
        folder = stateFolder + "/identity"
    }

    /// What is in use, or nil before the first opening.
    package var opened: Opened? { current.withLock { $0 } }

    /// Reads the list with the keys of the default keychain, which was just opened.
    package func open(with store: ItemStore) throws(KeychainError) {
        try opening.withLock { (_) throws(KeychainError) in
            // Two that write one file would each lose what the other has written.
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
        // Digests of programs were kept there once (identity-files.md).
        for name in ["digests", "digests.new", "digests.damaged"] { unlink("\(folder)/\(name)") }
        // A list of the first version is taken in once. Whoever puts one back later has no key that opens it.
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

    /// Finds out which decisions count: all where there is no passcode, else those that the key custodian has signed.
    package func review() throws(KeychainError) {
        if let opened { try review(opened) }
    }

    private func review(_ opened: Opened) throws(KeychainError) {
        var report = try enclave.passcodeReport(for: .agent, in: opened.store)
        var isEndorsed = false
        if report.hasPasscode, let claim = opened.ledger.claim {
            isEndorsed = try enclave.isEndorsed(claim, in: opened.store)
            // What was signed last may be another thing since it was looked at.
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

    /// The same of a passcode that a person typed in a dialog, which comes again where it was wrong.
    func decide(
        _ decision: ApplicationLedger.Decision, _ passcode: GivenPasscode
    ) throws(KeychainError) -> PasscodeVerdict { PasscodeVerdict(try endorsed(decision, passcode).report) }

    /// Carries a decision out where the passcode was right.
    private func endorsed(
        _ decision: ApplicationLedger.Decision, _ passcode: GivenPasscode
    ) throws(KeychainError) -> (report: PasscodeReport, record: ApplicationRecord?) {
        guard let opened, opened.store == passcode.store else {
            throw KeychainError(.notAvailable, "the list of programs is being opened anew; try again")
        }
        let draft = try opened.ledger.prepare(decision, isToBeEndorsed: true)
        let report = try enclave.call(
            .endorse(draft.digest, passcode.origin, in: passcode.store), passcodes: passcode.files)
        guard report.outcome == .done else { return (report, nil) }
        guard let endorsement = report.endorsement else { throw EnclaveConnection.confused }
        let record = try opened.ledger.carryOut(draft, endorsement)
        // From here on no older list counts.
        try review(opened)
        return (report, record)
    }

    /// Has all that counts count on, under the first passcode.
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

    /// The command line serves whoever runs it, wherever it was installed beside us.
    private static func sharedPrograms() -> Set<CanonicalPath> {
        let folder = ProgramFolder.ofThisProcess
        let candidates: [String] = ["\(folder)/security", "\(folder)/../../bin/security"]
        return Set(
            candidates.compactMap { path in
                realpath(path, nil).flatMap { resolved in
                    defer { free(resolved) }
                    return CanonicalPath(String(cString: resolved))
                }
            })
    }
}

extension IdentityService {
    /// The list of programs, which stays in use while the default keychain is opened anew.
    ///
    /// - Parameter failure: why it is not open, where that is known.
    func openLedger(orElse failure: KeychainError? = nil) throws(KeychainError) -> ApplicationLedger {
        if let opened { return opened.ledger }
        throw failure ?? KeychainError(.notAvailable, "it is being opened anew; try again")
    }
}
