import ChatelaineCryptography
import ChatelaineModel
import Foundation
import Glibc

/// What root has all users trust: files in a folder that root alone writes to (`Documentation/formats/trust-settings.md`).
struct MachineTrust {
    private static let folder = "/etc/chatelaine/trust"
    /// Where `update-ca-certificates` looks for certificates of the machine's own, and what it is called by.
    private static let distributionFolder = "/usr/local/share/ca-certificates"
    private static let updater = "/usr/sbin/update-ca-certificates"
    private static let fileMode: mode_t = 0o644
    private static let folderMode: mode_t = 0o755

    private let context: ToolContext

    init(_ context: ToolContext) { self.context = context }

    /// - Parameter path: where the certificate came from, for what is wrong with it.
    func add(_ certificate: [UInt8], _ constraints: [TrustConstraint], named path: String) throws {
        try requireRoot()
        guard constraints.allSatisfy(TrustLine.canHold) else {
            throw ToolError.failure("a name or path with blanks in it cannot be set for the machine")
        }
        var question = TrustQuestion([certificate], policies: [TrustPolicy(.basic)])
        question.hasOwnAnchorsOnly = true
        let read = try context.keychain.evaluate(question).chain.first
        guard let read, !read.defects.contains(.unreadable), !read.defects.contains(.weakKey) else {
            throw ToolError.failure("\(path) has no certificate that can be read, or one with too short a key")
        }
        let lines = constraints.map { TrustLine.text(of: $0) + "\n" }.joined()
        let text = "# \(Printable.text(read.summary))\n" + lines + PEMFile.text(of: certificate)
        try Self.write(text, to: try Self.name(of: certificate, ".pem"), in: Self.folder)
    }

    func remove(_ certificate: [UInt8]) throws {
        try requireRoot()
        let file = "\(Self.folder)/\(try Self.name(of: certificate, ".pem"))"
        guard unlink(file) == 0 else {
            throw MacFailure(
                call: "SecTrustSettingsRemoveTrustSettings",
                error: KeychainError(.itemNotFound, "there are no settings of the machine's for this certificate"),
                exitStatus: ExitStatus.failure)
        }
        // What was given to the distribution's tools goes with it.
        let given = "\(Self.distributionFolder)/\(try Self.name(of: certificate, ".crt"))"
        if unlink(given) == 0 { try Self.update() }
    }

    /// Has curl, Python and whatever else reads the distribution's file trust it as well.
    func tellDistribution(of certificate: [UInt8]) throws {
        guard access(Self.updater, X_OK) == 0 else {
            throw ToolError.failure("\(Self.updater) is not here: the distribution's tools were not told")
        }
        try Self.write(
            PEMFile.text(of: certificate), to: try Self.name(of: certificate, ".crt"), in: Self.distributionFolder)
        try Self.update()
    }

    private func requireRoot() throws {
        guard geteuid() == 0 else {
            throw ToolError.failure("settings of the machine's are root's to make: use sudo, or leave out -d")
        }
    }

    /// Files of one certificate have one name, whoever writes them.
    private static func name(of certificate: [UInt8], _ ending: String) throws(KeychainError) -> String {
        let digest = certificate.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try KeyDigest.sha256.digest(of: bytes) }
        }
        return "chatelaine-" + Hexadecimal.text(of: try digest.get()) + ending
    }

    /// A draft takes the place of what was there, so that nobody reads half a file.
    private static func write(_ text: String, to name: String, in folder: String) throws {
        for path in [String(folder[..<(folder.lastIndex(of: "/") ?? folder.endIndex)]), folder] {
            guard mkdir(path, folderMode) == 0 || errno == EEXIST else {
                throw ToolError.failure("\(path) cannot be made: \(String(cString: strerror(errno)))")
            }
        }
        let (path, draft) = ("\(folder)/\(name)", "\(folder)/\(name).new")
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, fileMode)
        guard file >= 0 else { throw ToolError.failure("\(draft): \(String(cString: strerror(errno)))") }
        let bytes = Array(text.utf8)
        let isWritten =
            Glibc.write(file, bytes, bytes.count) == bytes.count && fchmod(file, fileMode) == 0 && fsync(file) == 0
        close(file)
        guard isWritten, rename(draft, path) == 0 else {
            throw ToolError.failure("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    private static func update() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: updater)
        process.standardOutput = FileHandle.nullDevice
        do { try process.run() } catch { throw ToolError.failure("\(updater) cannot be started") }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw ToolError.failure("\(updater) ended with status \(process.terminationStatus)")
        }
    }
}
