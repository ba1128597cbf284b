extension StatusCatalogue {
    /// A status code with its names and its message.
    package struct Entry: Sendable, Equatable {
        /// The number, as calls return it.
        package let code: Int32
        /// The name of the constant, for example `errSecItemNotFound`.
        package let name: String
        /// Other names of the code, older or misspelt ones; usually empty.
        package let aliases: [String]
        /// One English sentence: what happened and, if possible, what to do about it.
        package let message: String

        init(_ row: Row) {
            code = row.code
            name = row.name.description
            aliases = StatusCatalogue.aliases.filter { $0.code == row.code }.map(\.name.description)
            message = row.message.description
        }
    }
}
