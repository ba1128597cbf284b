import ChatelaineModel
import DaemonOptions

/// The command line, parsed without an argument library, which would double the start-up time.
struct Arguments {
    static let usage = DaemonOption.usage(of: "enclaved", DaemonOption.enclaved)
    /// Exit status of a wrong command line (behaviour/security-command.md, 2).
    static let usageStatus: Int32 = 2
    /// The first descriptor after the standard ones.
    static let defaultChannel: Int32 = 3

    private(set) var stateFolder = ""
    private(set) var channel = Self.defaultChannel
    private(set) var matcher: Int32?
    private(set) var keyWorker: Int32?
    private(set) var showsVersion = false
    private(set) var showsHelp = false

    /// - Throws: `errSecParam` for an unknown or incomplete argument.
    init(_ words: some Sequence<String>) throws(KeychainError) {
        var words = words.makeIterator()
        while let word = words.next() {
            switch word {
            case DaemonOption.version.name: showsVersion = true
            case DaemonOption.help.name: showsHelp = true
            case DaemonOption.stateFolder.name:
                guard let path = words.next(), path.hasPrefix("/") else {
                    throw KeychainError(.param, "\(word) wants an absolute path; see enclaved --help")
                }
                stateFolder = path
            case DaemonOption.channel.name: channel = try Self.descriptor(after: word, words.next())
            case DaemonOption.matcher.name: matcher = try Self.descriptor(after: word, words.next())
            case DaemonOption.keyWorker.name: keyWorker = try Self.descriptor(after: word, words.next())
            default: throw KeychainError(.param, "an argument is not understood; see enclaved --help")
            }
        }
        guard showsVersion || showsHelp || !stateFolder.isEmpty else {
            throw KeychainError(.param, "\(DaemonOption.stateFolder.name) is missing; see enclaved --help")
        }
    }

    private static func descriptor(after option: String, _ word: String?) throws(KeychainError) -> Int32 {
        guard let number = word.flatMap({ Int32($0) }), number >= defaultChannel else {
            throw KeychainError(.param, "\(option) wants a descriptor from 3 up; see enclaved --help")
        }
        return number
    }
}
