import Foundation

/// Where the programs under test were built: the folder of the running test bundle.
enum BuildFolder {
    static let path: String = {
        for argument in CommandLine.arguments where argument.hasSuffix(".xctest") {
            return URL(fileURLWithPath: argument).deletingLastPathComponent().path
        }
        return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
    }()

    /// The daemons where any user can run them, which may not be said of a folder in somebody's home.
    static let daemons: String = {
        var template = Array("/tmp/chatelaine-daemons-XXXXXX".utf8CString)
        guard let folder = mkdtemp(&template).map({ String(cString: $0) }) else { return path }
        chmod(folder, 0o755)
        for name in ["securityd", "enclaved"] {
            if link("\(path)/\(name)", "\(folder)/\(name)") != 0 {
                try? FileManager.default.copyItem(atPath: "\(path)/\(name)", toPath: "\(folder)/\(name)")
            }
        }
        atexit { try? FileManager.default.removeItem(atPath: BuildFolder.daemons) }
        return folder
    }()
}
