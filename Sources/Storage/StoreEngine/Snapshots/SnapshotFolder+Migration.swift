import ChatelaineModel

extension SnapshotFolder {
    /// Pages of one step where nobody waits: four megabytes.
    private static let pagesPerStep: Int32 = 1024
    /// Steps in vain, while somebody else has the database locked, after which it is given up.
    private static let maximumVainSteps = 8

    /// A snapshot of a store that nobody has opened yet, before its format changes.
    ///
    /// A format is not changed without one: what this throws keeps the store from being opened.
    func takeBeforeMigration(
        of database: String, _ schema: RowSchema
    ) throws(KeychainError) -> Snapshot {
        let connection = try ReadConnection(reading: database)
        let draft = try begin(bytes: try StoreFolder.size(database))
        do throws(KeychainError) {
            let backup = try OnlineBackup(of: connection.handle, to: draft.database)
            var vain = 0
            while vain < Self.maximumVainSteps {
                switch try backup.step(pages: Self.pagesPerStep) {
                case .more: vain = 0
                case .locked: vain += 1
                case .done:
                    try backup.finish()
                    return try finish(draft, schema, reason: .migration)
                }
            }
            throw KeychainError(cause: .busy, "another process keeps the item store's database locked")
        } catch {
            abandon(draft)
            throw error
        }
    }
}
