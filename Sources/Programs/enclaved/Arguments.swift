import ChatelaineModel
import DaemonOptions

/// The command line, read by hand: an argument library would double the start-up time.
struct Arguments {
    static let usage = DaemonOption.usage(of: "enclaved", DaemonOption.enclaved)
    /// Exit status of a wrong command line (behaviour/security-command.md, 2).
    static let usageStatus: Int32 = 2
    /// The first descriptor after the standard ones.
    static let defaultChannel: Int32 = 3

    private(set) var stateFolder = ""
    private(set) var channel = Self.defaultChannel
    private(set) var matcher: Int32?
    private(set) var showsVersion = false
    private(set) var showsHelp = false

    /// `errSecParam` for anything that is not understood.
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
            case DaemonOption.channel.name:
                guard let number = words.next().flatMap({ Int32($0) }), number >= Self.defaultChannel else {
                    throw KeychainError(.param, "\(word) wants a descriptor from 3 up; see enclaved --help")
                }
                channel = number
            case DaemonOption.matcher.name:
                guard let number = words.next().flatMap({ Int32($0) }), number >= Self.defaultChannel else {
                    throw KeychainError(.param, "\(word) wants a descriptor from 3 up; see enclaved --help")
                }
                matcher = number
            default: throw KeychainError(.param, "an argument is not understood; see enclaved --help")
            }
        }
        guard showsVersion || showsHelp || !stateFolder.isEmpty else {
            throw KeychainError(.param, "\(DaemonOption.stateFolder.name) is missing; see enclaved --help")
        }
    }
}
