/// The options of each daemon.
extension DaemonOption {
    package static let background = DaemonOption(
        name: "--background", valueName: nil, summary: "return to the caller as soon as the daemon listens")
    package static let debug = DaemonOption(
        name: "--debug", valueName: nil, summary: "log every call that fails, as CHATELAINE_DEBUG=1 does")
    package static let stateFolder = DaemonOption(
        name: "--state-folder", valueName: "PATH", summary: "the folder of the keys, absolute; it must exist")
    package static let channel = DaemonOption(
        name: "--channel", valueName: "FD", summary: "the socket that securityd speaks through; 3 unless given")
    package static let matcher = DaemonOption(
        name: "--matcher", valueName: "FD", summary: "the socket to securityd-match; no fingerprint reader without it")
    package static let keyWorker = DaemonOption(
        name: "--key-worker", valueName: "FD", summary: "the socket to keyd; no key can be used without it")
    package static let pinentry = DaemonOption(
        name: "--pinentry", valueName: "PATH", summary: "the program that shows dialogs; /usr/bin/pinentry unless given"
    )
    package static let help = DaemonOption(name: "--help", valueName: nil, summary: "print this text and exit")
    package static let version = DaemonOption(
        name: "--version", valueName: nil, summary: "print the version and exit")

    package static let securityd = [background, debug, help, version]
    package static let enclaved = [stateFolder, channel, matcher, keyWorker, help, version]
    package static let agent = [pinentry, help, version]
    package static let trustd = [help, version]
    package static let formatd = [help, version]
    package static let fetchd = [help, version]
    package static let keyd = [help, version]
}
