import ChatelaineMemory
import ChatelaineModel
import Sealing
import StoreEngine

/// The items of a file keychain that is locked: what they are called can be read, and nothing of it is proven.
///
/// Secrets stay sealed. A row that is no row at all is passed over: whether it was damaged or forged is found out when the
/// keychain is unlocked. Used by one thread at a time.
package final class UnverifiedItems {
    private let store: UnverifiedStore

    package var identifier: StoreIdentifier { store.identifier }

    /// - Parameters:
    ///   - database: the path of the keychain's file, or of what stands for it while it is open.
    ///   - hasLog: as for ``UnverifiedStore``.
    package init(_ database: String, hasLog: Bool) throws(KeychainError) {
        store = try UnverifiedStore(database, StoreSchema.fileKeychain, hasLog: hasLog)
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
    package func count() throws(KeychainError) -> Int64 { try store.count() }

    /// The items that a query describes, without their secrets; certificates, which are none, with their bytes where it wants data.
    ///
    /// - Throws: `errSecDataTooLarge` when the result would pass the limit, or ``ItemStore/maximumResultBytes``.
    /// - Parameters:
    ///   - index: the key of the digests, which in a file keychain is no secret.
    ///   - byteLimit: how much may be read; what is more is not begun.
    package func find(
        _ query: ItemQuery, group: AccessGroup, index: SecretBytes, byteLimit: Int = .max
    ) throws(KeychainError) -> [FoundItem] {
        if query.ignoresCase, query.limit == .one {
            // As in an open store, what is written so comes first.
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
        (plan.wantsCertificates, plan.byteLimit) = (wantsData, byteLimit)
        var outcome = SearchOutcome()
        for probe in plan.probes {
            try plan.run(probe, on: store.statements) { (statement) throws(KeychainError) in
                // Whatever key the row names: it is not looked for.
                let key = UInt32(truncatingIfNeeded: statement.integer(StoredRow.Column.metadataKey))
                let opener = RowOpener(store: identifier, keys: [key: .unverified], lostKeys: LostKeys())
                try ItemStore.take(statement, plan, probe, opener, stamps: false, [], &outcome)
                return outcome.rows.count < plan.maximum && !outcome.isLarge
            }
        }
        guard !outcome.isLarge else {
            throw KeychainError(.dataTooLarge, "the items found hold more than \(byteLimit) bytes")
        }
        return outcome.rows.map { row in
            FoundItem(row, secret: wantsData ? row.certificate.map { SecretBytes($0) } : nil)
        }
    }
}
