import ChatelaineModel

extension SnapshotFolder {
    /// Pages of one step while nobody waits: four megabytes.
    private static let pagesPerStep: Int32 = 1024
    /// Vain steps, while another process has the database locked, after which the snapshot fails.
    private static let maximumVainSteps = 8

    /// Takes a snapshot of a store that is not open yet, before its format changes.
    ///
    /// No format is changed without a snapshot: an error keeps the store from being opened.
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
