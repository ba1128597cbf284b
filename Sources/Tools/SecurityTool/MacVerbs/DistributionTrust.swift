import ChatelaineModel
import ChatelaineTrustSettings
import Foundation
import Glibc

/// Has the distribution's own tools trust a certificate as well (`update-ca-certificates`): curl, Python and whatever else reads its file.
///
/// They know no constraints: what is given to them they trust for everything.
struct DistributionTrust {
    /// Where `update-ca-certificates` looks for certificates of the machine's own.
    var folder = PublicFolder(at: "/usr/local/share/ca-certificates")
    var updater = "/usr/sbin/update-ca-certificates"

    func add(_ certificate: [UInt8]) throws {
        guard access(updater, X_OK) == 0 else {
            throw ToolError.failure("\(updater) is not here: the distribution's tools were not told")
        }
        try folder.write(CertificateText.pem(certificate), to: try Self.name(of: certificate))
        try update()
    }

    /// Takes back what was given to these tools.
    ///
    /// - Returns: whether any of it was.
    @discardableResult
    func remove(_ certificates: [[UInt8]]) throws -> Bool {
        var isChanged = false
        for certificate in certificates where try folder.remove(try Self.name(of: certificate)) { isChanged = true }
        if isChanged { try update() }
        return isChanged
    }

    private static func name(of certificate: [UInt8]) throws(KeychainError) -> String {
        try MachineTrustFolder.name(of: certificate, ".crt")
    }

    private func update() throws {
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
