import DaemonOptions
import Glibc
import SecurityServer

/// The keychain daemon. See `Documentation` and securityd(8).
@main
enum Securityd {
    static let usage = DaemonOption.usage(of: "securityd", DaemonOption.securityd)

    static func main() {
        var options = Daemon.Options()
        for argument in CommandLine.arguments.dropFirst() {
            switch argument {
            case DaemonOption.background.name: options.isBackground = true
            case DaemonOption.debug.name: options.isDebugging = true
            case DaemonOption.version.name:
                print("securityd \(SecurityServer.version)")
                return
            case DaemonOption.help.name:
                print(usage, terminator: "")
                return
            default:
                say(usage)
                exit(2)
            }
        }
        switch Daemon.run(options) {
        case .alreadyRunning: say("securityd: another daemon serves this user already\n")
        case .failed(let error):
            say("securityd: \(error)\n")
            exit(1)
        }
    }

    private static func say(_ text: String) {
        var text = text
        text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
