import ChatelaineCryptography
import ChatelaineIPC
import ChatelaineModel
import Foundation
import Glibc

/// What root has all users trust: files in a folder that root alone writes to (`Documentation/formats/trust-settings.md`).
package struct MachineTrustFolder: Sendable {
    /// Of a program's, which root runs: nothing of it is believed that root has not made.
    package static let path = "/etc/chatelaine/trust"

    private let folder: PublicFolder

    package init(at path: String = Self.path) { folder = PublicFolder(at: path) }

    /// - Parameter name: the certificate's, for people who read the file.
    package func add(
        _ name: String, _ certificate: [UInt8], _ constraints: [TrustConstraint]
    ) throws(KeychainError) {
        try Self.requireRoot()
        try folder.write(
            try Self.text(name, certificate, constraints), to: try Self.name(of: certificate, ".pem"))
    }

    package func remove(_ certificate: [UInt8]) throws(KeychainError) {
        try Self.requireRoot()
        guard try folder.remove(try Self.name(of: certificate, ".pem")) else {
            throw KeychainError(.itemNotFound, "there are no settings of the machine's for this certificate")
        }
    }

    /// Writes them all, and only then removes the files of `former` that are not among them. A file that somebody made by hand stays, as its
    /// name is another.
    func replace(_ former: [[UInt8]], with settings: [TrustSetting]) throws(KeychainError) {
        try Self.requireRoot()
        let files = try settings.map { (setting) throws(KeychainError) in
            (
                try Self.name(of: setting.certificate, ".pem"),
                try Self.text(setting.summary, setting.certificate, setting.constraints)
            )
        }
        for (name, text) in files { try folder.write(text, to: name) }
        let kept = Set(settings.map(\.certificate))
        for certificate in former where !kept.contains(certificate) {
            try folder.remove(try Self.name(of: certificate, ".pem"))
        }
    }

    // MARK: Whether users' own settings count

    /// Its presence has nobody's own settings count.
    private static let switchName = "no-user-settings"

    /// As securityd sees it, which looks at the file by itself.
    package func doUserSettingsCount() throws(KeychainError) -> Bool {
        let path = "\(folder.path)/\(Self.switchName)"
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT || errno == ENOTDIR else {
                throw KeychainError(system: errno, "looking whether users' settings count", path)
            }
            return true
        }
        return status.st_mode & S_IFMT != S_IFREG || status.st_uid != 0 || status.st_mode & 0o022 != 0
    }

    package func setUserSettings(count: Bool) throws(KeychainError) {
        try Self.requireRoot()
        if count {
            try folder.remove(Self.switchName)
        } else {
            try folder.write("Settings of trust of users' own do not count.\n", to: Self.switchName)
        }
    }

    package static func requireRoot() throws(KeychainError) {
        guard geteuid() == 0 else {
            throw KeychainError(
                .authFailed,
                "settings of the machine's are root's to make: use sudo, or set them for yourself alone")
        }
    }

    static func text(
        _ name: String, _ certificate: [UInt8], _ constraints: [TrustConstraint]
    ) throws(KeychainError) -> String {
        guard constraints.allSatisfy(TrustLine.canHold) else {
            throw KeychainError(.param, "a name or path with blanks in it cannot be set for the machine")
        }
        // Somebody else has chosen the name: it neither ends the line nor begins a block of PEM.
        let title = String(
            name.unicodeScalars.map { $0.properties.isWhitespace || $0.value < 0x20 ? " " : Character($0) }
        ).replacingOccurrences(of: "-----", with: " ")
        return "# \(title)\n" + constraints.map { TrustLine.text(of: $0) + "\n" }.joined()
            + CertificateText.pem(certificate)
    }

    /// Files of one certificate have one name, whoever writes them.
    package static func name(of certificate: [UInt8], _ ending: String) throws(KeychainError) -> String {
        let digest = certificate.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try KeyDigest.sha256.digest(of: bytes) }
        }
        return "chatelaine-" + Hexadecimal.text(of: try digest.get()) + ending
    }
}

/// A certificate as text.
package enum CertificateText {
    package static let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")

    package static func pem(_ certificate: [UInt8]) -> String {
        let lines = Data(certificate).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "\(begin)\n\(lines)\n\(end)\n"
    }
}
