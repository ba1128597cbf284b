import ChatelaineModel

/// The command line, read by hand: an argument library would double the start-up time.
struct Arguments {
    static let usage = "usage: enclaved --state-folder PATH [--channel FD] | --version"
    /// Exit status of a wrong command line (rulings, 23).
    static let usageStatus: Int32 = 2
    /// The first descriptor after the standard ones.
    static let defaultChannel: Int32 = 3

    private(set) var stateFolder = ""
    private(set) var channel = Self.defaultChannel
    private(set) var showsVersion = false

    /// `errSecParam` for anything that is not understood.
    init(_ words: some Sequence<String>) throws(KeychainError) {
        var words = words.makeIterator()
        while let word = words.next() {
            switch word {
            case "--version": showsVersion = true
            case "--state-folder":
                guard let path = words.next(), path.hasPrefix("/") else {
                    throw KeychainError(.param, "--state-folder wants an absolute path; \(Self.usage)")
                }
                stateFolder = path
            case "--channel":
                guard let number = words.next().flatMap({ Int32($0) }), number >= Self.defaultChannel else {
                    throw KeychainError(.param, "--channel wants a descriptor from 3 up; \(Self.usage)")
                }
                channel = number
            default: throw KeychainError(.param, "an argument is not understood; \(Self.usage)")
            }
        }
        guard showsVersion || !stateFolder.isEmpty else { throw KeychainError(.param, Self.usage) }
    }
}
