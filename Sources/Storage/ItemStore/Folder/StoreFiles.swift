/// The names in a store's folder.
enum StoreFiles {
    static let database = "items.db"
    static let log = "items.db-wal"
    /// Of formats 1 and 2; since then the mark lies outside of the folder (``HighWaterMark``).
    static let earlierMark = "mark"
}
