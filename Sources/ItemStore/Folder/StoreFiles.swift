/// The names in a store's folder.
enum StoreFiles {
    static let database = "items.db"
    static let log = "items.db-wal"
    static let mark = "mark"
}
