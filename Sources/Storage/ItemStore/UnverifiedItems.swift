import ChatelaineMemory
import ChatelaineModel
import Sealing
import StoreEngine

/// The items of a locked file keychain: their attributes can be read, and nothing of them is proven.
///
/// Secrets stay sealed. A malformed row is passed over: only unlocking the keychain shows whether it was damaged or
/// forged. One thread uses the value at a time.
package final class UnverifiedItems {
    /// The rows that one search looks at, in all of its look-ups: as many passwords as the largest result holds
    /// (``ItemStore/maximumResultBytes``).
    ///
    /// Anybody may have written the file, and any program can put it on the search list of all others. A search takes
    /// some 20 µs to find out that a row is worth nothing, so that it is over after two seconds.
    package static let maximumRows = 100_000
    /// Steps of SQLite's machine that one row may take; a row that is looked at takes half of them.
    private static let stepsPerRow = 64

    private let store: UnverifiedStore
    private let maximumRows: Int
    /// The rows that were looked at.
    private(set) var rowsVisited = 0

    package var identifier: StoreIdentifier { store.identifier }
    /// ``UnverifiedStore/sequence``
    package var sequence: UInt64 { store.sequence }

    /// Opens the items of a keychain's file.
    ///
    /// - Parameters:
    ///   - database: the path of the keychain's file, or of the file that stands for it while the keychain is open.
    ///   - hasLog: as for ``UnverifiedStore``.
    ///   - maximumRows: another limit than ``maximumRows``, for tests.
    package init(
        _ database: String, hasLog: Bool, maximumRows: Int = UnverifiedItems.maximumRows
    ) throws(KeychainError) {
        store = try UnverifiedStore(database, StoreSchema.fileKeychain, hasLog: hasLog)
        self.maximumRows = maximumRows
        // Rows that a statement passes over by itself are bounded, too.
        store.limit(steps: Int32(clamping: maximumRows * Self.stepsPerRow))
    }

    /// ``UnverifiedStore/identifier(ofDamaged:hasLog:_:)``
    package static func identifier(
        ofDamaged database: String, hasLog: Bool
    ) throws(KeychainError) -> StoreIdentifier? {
        try UnverifiedStore.identifier(ofDamaged: database, hasLog: hasLog, StoreSchema.fileKeychain)
    }

    package func properties() throws(KeychainError) -> StoreProperties { try store.properties() }
    /// ``UnverifiedStore/isRecovered(from:)``
    package func isRecovered(from name: String) throws(KeychainError) -> Bool { try store.isRecovered(from: name) }
    /// ``UnverifiedStore/answer(to:)``
    package func answer(to request: ChangeRequest) throws(KeychainError) -> FirstAnswer? {
        try store.answer(to: request)
    }

    /// The items that a query describes, without their secrets; a certificate has its bytes where the query wants data.
    ///
    /// - Parameters:
    ///   - index: the key of the digests, which in a file keychain is no secret.
    ///   - byteLimit: the most bytes that the result may have.
    /// - Throws: `errSecDataTooLarge` when the result would exceed `byteLimit` or ``ItemStore/maximumResultBytes``;
    ///   `errSecInvalidKeychain` when the searches of this object meet more than ``maximumRows``.
    package func find(
        _ query: ItemQuery, group: AccessGroup, index: SecretBytes, byteLimit: Int = .max
    ) throws(KeychainError) -> [FoundItem] {
        if query.ignoresCase, query.limit == .one {
            // As in an open store, an exact spelling comes first.
            var exact = query
            exact.ignoresCase = false
            let found = try look(for: exact, group, index, byteLimit)
            if !found.isEmpty { return found }
        }
        return try look(for: query, group, index, byteLimit)
    }

    private func look(
        for query: ItemQuery, _ group: AccessGroup, _ index: SecretBytes, _ byteLimit: Int
    ) throws(KeychainError) -> [FoundItem] {
        let wantsData = query.returns.contains(.data)
        var plan = SearchPlan(
            query, groups: [group], digests: StoreDigests(index), wantsAttributes: query.returns.includeAttributes,
            wantsSecret: false, maximum: query.limit.maximum)
        (plan.wantsCertificates, plan.byteLimit, plan.isUnverified) = (wantsData, byteLimit, true)
        let outcome = try pass(plan)
        guard !outcome.isLarge else {
            throw KeychainError(.dataTooLarge, "the items found hold more than \(byteLimit) bytes")
        }
        return outcome.rows.map { row in
            FoundItem(row, secret: wantsData ? row.certificate.map { SecretBytes($0) } : nil)
        }
    }

    /// Runs the look-ups of a search.
    func pass(_ plan: SearchPlan) throws(KeychainError) -> SearchOutcome {
        var outcome = SearchOutcome()
        let opener = RowOpener(unverified: identifier)
        do throws(KeychainError) {
            for probe in plan.probes where !outcome.isEnded(plan) {
                try plan.run(probe, on: store.statements) { (statement) throws(KeychainError) in
                    rowsVisited += 1
                    guard rowsVisited <= maximumRows else { throw tooManyRows }
                    try ItemStore.take(statement, plan, probe, opener, stamps: false, [], &outcome)
                    return !outcome.isEnded(plan)
                }
            }
        } catch {
            throw store.isExhausted ? tooManyRows : error
        }
        return outcome
    }

    /// Other keychains are searched all the same, as beside a damaged one.
    private var tooManyRows: KeychainError {
        KeychainError(
            .invalidKeychain,
            "a locked keychain has more than \(maximumRows) rows where the search looks; unlock it, or take it from the search list"
        )
    }
}
