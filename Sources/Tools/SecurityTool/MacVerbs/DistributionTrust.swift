import ChatelaineModel
import ChatelaineTrustSettings
import Foundation
import Glibc

/// Has the distribution's own tools trust a certificate as well (`update-ca-certificates`): curl, Python and whatever else reads its file.
enum DistributionTrust {
    /// Where `update-ca-certificates` looks for certificates of the machine's own, and what it is called by.
    private static let folder = "/usr/local/share/ca-certificates"
    private static let updater = "/usr/sbin/update-ca-certificates"

    static func add(_ certificate: [UInt8]) throws {
        guard access(updater, X_OK) == 0 else {
            throw ToolError.failure("\(updater) is not here: the distribution's tools were not told")
        }
        try MachineTrustFolder.write(
            CertificateText.pem(certificate), to: try MachineTrustFolder.name(of: certificate, ".crt"), in: folder)
        try update()
    }

    /// What was given to these tools goes with what was set for it.
    static func remove(_ certificate: [UInt8]) throws {
        if unlink("\(folder)/\(try MachineTrustFolder.name(of: certificate, ".crt"))") == 0 { try update() }
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
