import ChatelaineCryptography
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Foundation
import Glibc

/// The trust settings of the machine, for all users: files in a folder to which only root writes
/// (`Documentation/formats/trust-settings.md`).
package struct MachineTrustFolder: Sendable {
    /// The folder of a program that root runs; a file that root does not own does not count.
    package static let path = "/etc/chatelaine/trust"

    private let folder: PublicFolder

    package init(at path: String = Self.path) { folder = PublicFolder(at: path) }

    /// - Parameter name: the certificate's name, for people who read the file.
    /// - Throws: `errSecDuplicateItem` where a file that somebody made by hand contains the certificate.
    package func add(
        _ name: String, _ certificate: [UInt8], _ constraints: [TrustConstraint]
    ) throws(KeychainError) {
        try Self.requireRoot()
        try write(
            [(try Self.name(of: certificate, Self.ending), try Self.text(name, certificate, constraints))],
            [certificate])
    }

    /// Writes files, each for its certificate, after checking that they will count as written.
    ///
    /// - Parameter former: files that the caller removes afterwards. Until then there may be too many files, and no
    ///   certificate is trusted.
    /// - Throws: `errSecDuplicateItem` where another file contains one of the certificates: the denying one of two
    ///   settings would count, without a visible reason. `errSecNotAvailable` where there would be more files than
    ///   count.
    private func write(
        _ files: [(name: String, text: String)], _ certificates: [[UInt8]], inPlaceOf former: Set<String> = []
    ) throws(KeychainError) {
        let new = Set(files.map(\.name))
        let names = try folder.names(limit: TrustLimits.maximumSettingNames + 1)
        let left = Set(names).subtracting(former).union(new)
        let others = left.filter { $0.hasSuffix(Self.ending) && !new.contains($0) }
        guard names.count <= TrustLimits.maximumSettingNames, left.count <= TrustLimits.maximumSettingNames,
            others.count + new.count <= TrustLimits.maximumSettings
        else {
            throw KeychainError(
                .notAvailable,
                "\(folder.path) has settings for \(TrustLimits.maximumSettings) certificates already: remove some")
        }
        if let name = file(among: others, with: certificates) {
            throw KeychainError(
                .duplicateItem,
                "\(folder.path)/\(name) sets something for this certificate already: change that file, or remove it first"
            )
        }
        for (name, text) in files { try folder.write(text, to: name) }
    }

    private static let ending = ".pem"

    /// The file that contains one of the certificates.
    private func file(among names: some Sequence<String>, with certificates: [[UInt8]]) -> String? {
        names.first { name in
            // What is no file, or not root's, does not count.
            let text = try? folder.contents(of: name, limit: TrustLimits.maximumSettingFileBytes)
            return text.map { CertificateText.certificates(in: $0).contains(where: certificates.contains) } ?? false
        }
    }

    /// - Throws: `errSecItemNotFound` where nothing is set; `errSecDuplicateItem` where a file that somebody made by
    ///   hand sets something.
    package func remove(_ certificate: [UInt8]) throws(KeychainError) {
        try Self.requireRoot()
        guard try !folder.remove(try Self.name(of: certificate, Self.ending)) else { return }
        let others = try folder.names(limit: TrustLimits.maximumSettingNames).filter { $0.hasSuffix(Self.ending) }
        if let name = file(among: others, with: [certificate]) {
            throw KeychainError(
                .duplicateItem,
                "\(folder.path)/\(name), which was made by hand, sets something for this certificate: change or remove that file"
            )
        }
        throw KeychainError(.itemNotFound, "there are no settings of the machine's for this certificate")
    }

    /// Runs `body` while no other command of root's changes settings, and what follows from them elsewhere.
    ///
    /// - Throws: what `body` throws; `errSecAuthFailed` for others than root; `errSecNotAvailable` where another
    ///   command is at work for ``patienceSeconds``.
    package func alone<Answer>(_ body: () throws -> Answer) throws -> Answer {
        try Self.requireRoot()
        let lock = try folder.lock(seconds: Self.patienceSeconds)
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    /// A distribution's tools take some seconds on a slow machine.
    private static let patienceSeconds = 60

    /// Writes all settings, and only then removes the files of `former` that are not among them.
    ///
    /// A file that somebody made by hand stays, since its name differs.
    func replace(_ former: [[UInt8]], with settings: [TrustSetting]) throws(KeychainError) {
        try Self.requireRoot()
        let files = try settings.map { (setting) throws(KeychainError) in
            (
                try Self.name(of: setting.certificate, Self.ending),
                try Self.text(setting.summary, setting.certificate, setting.constraints)
            )
        }
        var names = Set(
            try former.map { (certificate) throws(KeychainError) in try Self.name(of: certificate, Self.ending) })
        names.subtract(files.map(\.0))
        try write(files, settings.map(\.certificate), inPlaceOf: names)
        for name in names { try folder.remove(name) }
    }

    /// Paths of files whose content is not understood, as far as this process can see.
    package func filesNotUnderstood() throws(KeychainError) -> [String] {
        let names = try folder.names(limit: TrustLimits.maximumSettingNames)
        return names.filter { $0.hasSuffix(Self.ending) }.sorted().compactMap { name in
            let path = "\(folder.path)/\(name)"
            guard let text = try? folder.contents(of: name, limit: TrustLimits.maximumSettingFileBytes) else {
                return path
            }
            let isUnderstood =
                TrustLine.constraints(in: text) != nil
                && (CertificateText.isDER(text) || CertificateText.certificates(in: text).count == 1)
            return isUnderstood ? nil : path
        }
    }

    /// Paths of files that do not count, since others than root could have written them.
    package func filesThatDoNotCount() throws(KeychainError) -> [String] {
        let names = try folder.names(limit: TrustLimits.maximumSettingNames)
        return names.filter { $0.hasSuffix(Self.ending) }.sorted().filter { name in
            guard let status = try? folder.status(of: name) else { return false }
            return !status.isRegular || status.owner != 0 || status.mode & 0o022 != 0
        }.map { "\(folder.path)/\($0)" }
    }

    // MARK: Whether users' own settings count

    /// The name of a file whose presence turns off all users' own settings.
    private static let switchName = "no-user-settings"

    /// Whether users' own settings count, by the same rules as in securityd, which checks the file itself.
    package func doUserSettingsCount() throws(KeychainError) -> Bool {
        do throws(Errno) {
            guard let status = try folder.status(of: Self.switchName) else { return true }
            return !status.isRegular || status.owner != 0 || status.mode & 0o022 != 0
        } catch {
            throw KeychainError(
                system: error.code, "looking whether users' settings count", "\(folder.path)/\(Self.switchName)")
        }
    }

    package func setUserSettings(count: Bool) throws(KeychainError) {
        try Self.requireRoot()
        if count {
            try folder.remove(Self.switchName)
        } else {
            try folder.write("Settings of trust of users' own do not count.\n", to: Self.switchName)
        }
    }

    static func requireRoot() throws(KeychainError) {
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
        // Somebody else has chosen the name: it must neither end the line nor begin a PEM block.
        let title = String(
            name.unicodeScalars.map { $0.properties.isWhitespace || $0.value < 0x20 ? " " : Character($0) }
        ).replacingOccurrences(of: "-----", with: " ")
        return "# \(title)\n" + constraints.map { TrustLine.text(of: $0) + "\n" }.joined()
            + CertificateText.pem(certificate)
    }

    /// The name of a certificate's file, which is the same for every writer.
    package static func name(of certificate: [UInt8], _ ending: String) throws(KeychainError) -> String {
        let digest = certificate.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try KeyDigest.sha256.digest(of: bytes) }
        }
        return "chatelaine-" + Hexadecimal.text(of: try digest.get()) + ending
    }
}

/// Conversion of certificates to and from text.
package enum CertificateText {
    package static let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")

    package static func pem(_ certificate: [UInt8]) -> String {
        let lines = Data(certificate).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "\(begin)\n\(lines)\n\(end)\n"
    }

    /// The lines with which tools begin a certificate.
    private static let begins = [begin, "-----BEGIN X509 CERTIFICATE-----"]

    /// Whether a file is a certificate as DER: it begins with a SEQUENCE.
    static func isDER(_ file: [UInt8]) -> Bool { TrustLine.isDER(file) }

    /// The certificates (DER) in a text file, whose lines may have any length.
    static func certificates(in file: [UInt8]) -> [[UInt8]] {
        var certificates: [[UInt8]] = []
        var block: [UInt8]?
        for line in file.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            if begins.contains(where: { line.starts(with: $0.utf8) }) {
                block = []
            } else if line.starts(with: "-----END ".utf8) {
                if let text = block, let data = Data(base64Encoded: Data(text)) { certificates.append([UInt8](data)) }
                block = nil
            } else {
                block? += line.filter { $0 > 0x20 }
            }
        }
        return certificates
    }
}
