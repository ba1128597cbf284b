/// What each daemon understands.
extension DaemonOption {
    public static let background = DaemonOption(
        name: "--background", valueName: nil, summary: "return to the caller as soon as the daemon listens")
    public static let debug = DaemonOption(
        name: "--debug", valueName: nil, summary: "log every call that fails, as CHATELAINE_DEBUG=1 does")
    public static let stateFolder = DaemonOption(
        name: "--state-folder", valueName: "PATH", summary: "the folder of the keys, absolute; it must exist")
    public static let channel = DaemonOption(
        name: "--channel", valueName: "FD", summary: "the socket that securityd speaks through; 3 unless given")
    public static let help = DaemonOption(name: "--help", valueName: nil, summary: "print this text and exit")
    public static let version = DaemonOption(
        name: "--version", valueName: nil, summary: "print the version and exit")

    public static let securityd = [background, debug, help, version]
    public static let enclaved = [stateFolder, channel, help, version]
}
