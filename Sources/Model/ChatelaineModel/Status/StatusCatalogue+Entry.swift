extension StatusCatalogue {
    /// What is known of one status code.
    package struct Entry: Sendable, Equatable {
        /// The number, as calls return it.
        package let code: Int32
        /// The name of the constant, for example `errSecItemNotFound`.
        package let name: String
        /// Other names of the same code, older or misspelt ones; mostly none.
        package let aliases: [String]
        /// One English sentence: what happened and, where something can be done, what to do.
        package let message: String

        init(_ row: Row) {
            code = row.code
            name = row.name.description
            aliases = StatusCatalogue.aliases.filter { $0.code == row.code }.map(\.name.description)
            message = row.message.description
        }
    }
}
