import ChatelaineModel
import ChatelaineTrustSettings
import Foundation
import Glibc

/// Makes the distribution's own tools trust a certificate as well: curl, Python and all others that read its file.
///
/// They know no constraints, and trust the certificate for everything.
struct DistributionTrust {
    /// The folder of the machine's own certificates, and the tool that processes it.
    struct Place {
        let folder: PublicFolder
        /// A path from the tool's package, whose presence shows that the machine has this place.
        ///
        /// It may be the folder itself.
        let sign: String
        /// Commands to update, as paths with arguments; the first one that exists is used.
        let tools: [[String]]
        let ending: String
        /// The required owner of sign and tools, because other users must not decide what root runs.
        var owner: uid_t = 0

        init(_ folder: String, sign: String, tools: [[String]], ending: String) {
            (self.folder, self.sign, self.tools, self.ending) = (PublicFolder(at: folder), sign, tools, ending)
        }
    }

    private static let debian = "/usr/sbin/update-ca-certificates"

    /// The known places; the first one that the machine has is used.
    ///
    /// Two distributions have a tool of the same name that reads different folders. The sign distinguishes them: only
    /// one package brings it, and no user can create it.
    static let places = [
        // openSUSE.
        Place(
            "/etc/pki/trust/anchors", sign: "/usr/lib/ca-certificates/update.d", tools: [[debian]], ending: ".pem"),
        // Debian, its derivatives, and Alpine.
        Place("/usr/local/share/ca-certificates", sign: "/etc/ca-certificates.conf", tools: [[debian]], ending: ".crt"),
        // p11-kit on Fedora and its derivatives, then on Arch.
        Place(
            "/etc/pki/ca-trust/source/anchors", sign: "/etc/pki/ca-trust/source", tools: [["/usr/bin/update-ca-trust"]],
            ending: ".pem"),
        Place(
            "/etc/ca-certificates/trust-source/anchors", sign: "/etc/ca-certificates/trust-source",
            tools: [["/usr/bin/update-ca-trust"], ["/usr/bin/trust", "extract-compat"]], ending: ".pem"),
        // Debian without the list of exclusions.
        Place("/usr/local/share/ca-certificates", sign: debian, tools: [[debian]], ending: ".crt"),
    ]

    var places = Self.places

    func add(_ certificate: [UInt8]) throws {
        guard let place = places.first(where: { $0.isHere && $0.tool != nil }) else {
            throw ToolError.failure(
                "the distribution's tools were not told: neither update-ca-certificates nor update-ca-trust is here, as root's own"
            )
        }
        try place.folder.write(CertificateText.pem(certificate), to: try place.name(of: certificate))
        try place.update()
    }

    /// Removes certificates from every place that the machine has or had.
    ///
    /// If the tool did not run, it does not learn of a removed file. So a mark stays until the tool has run, and the
    /// next removal runs it again. A failure in one place does not stop the others.
    ///
    /// - Returns: whether any certificate was there.
    @discardableResult
    func remove(_ certificates: [[UInt8]]) throws -> Bool {
        var isAnyChanged = false
        var failure: (any Error)?
        for place in places {
            do { if try place.remove(certificates) { isAnyChanged = true } } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
        return isAnyChanged
    }
}

extension DistributionTrust.Place {
    fileprivate var isHere: Bool { isOwned(sign) }

    /// The command of the tool that exists.
    fileprivate var tool: [String]? { tools.first { $0.first.map { isOwned($0) && access($0, X_OK) == 0 } ?? false } }

    fileprivate func name(of certificate: [UInt8]) throws(KeychainError) -> String {
        try MachineTrustFolder.name(of: certificate, ending)
    }

    /// - Returns: whether the folder had a certificate, or the tool still had one.
    fileprivate func remove(_ certificates: [[UInt8]]) throws -> Bool {
        var isChanged = false
        for certificate in certificates {
            let name = try name(of: certificate)
            guard try folder.has(name) else { continue }
            // On a full disk there is no mark, and the certificate is removed all the same.
            try? marks.write("", to: Self.mark(name))
            try folder.remove(name)
            isChanged = true
        }
        let pending = try marks.names(limit: TrustLimits.maximumSettingNames)
        guard isChanged || !pending.isEmpty else { return false }
        let names = Set(try certificates.map { Self.mark(try name(of: $0)) })
        let isAnyOfThem = isChanged || pending.contains(where: names.contains)
        try update()
        for name in pending { try marks.remove(name) }
        rmdir(marks.path)
        return isAnyOfThem
    }

    /// The folder of marks for removed certificates that the tool may still have.
    ///
    /// p11-kit's tools read every file in the folder itself, and nothing below it. Debian's tool reads below it the
    /// files with the ending of certificates.
    private var marks: PublicFolder { PublicFolder(at: folder.path + "/.chatelaine-removed") }
    private static func mark(_ name: String) -> String { name + ".removed" }

    /// Whether the path exists and only its owner can change it.
    private func isOwned(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_uid == owner && status.st_mode & (S_IWGRP | S_IWOTH) == 0
    }

    fileprivate func update() throws {
        guard let words = tool, let path = words.first else {
            let names = tools.compactMap(\.first).joined(separator: " and ")
            throw ToolError.failure(
                "\(folder.path) has changed, and there is no tool of root's that says so to others: \(names)")
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = Array(words.dropFirst())
        process.standardOutput = FileHandle.nullDevice
        do { try process.run() } catch { throw ToolError.failure("\(path) cannot be started") }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw ToolError.failure("\(path) ended with status \(process.terminationStatus)")
        }
    }
}
