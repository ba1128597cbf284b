import Foundation
import Testing

/// A Chatelaine of its own: folders for one test, whose daemon ends with it.
final class TemporaryHome {
    // Short, because the path of a socket is bounded.
    let path = "/tmp/cl-" + UUID().uuidString.prefix(8)

    init() throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        endDaemon()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// As programs get it, in the form of `environ`.
    var variables: [String] { ["CHATELAINE_HOME=\(path)", "PATH=\(BuiltProgram.folder):/usr/bin:/bin"] }

    /// Ends the daemon, by the pid that it reports; where none runs, one is started for it.
    private func endDaemon() {
        let answer = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: BuiltProgram.security)
        process.arguments = ["status", "--json"]
        process.environment = ["CHATELAINE_HOME": path]
        process.standardOutput = answer
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return }
        let text = answer.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard let report = try? JSONSerialization.jsonObject(with: text) as? [String: [String: Any]],
            let pid = (report["daemon"]?["pid"] as? NSNumber)?.int32Value, pid > 1
        else { return }
        kill(pid, SIGTERM)
    }
}
