import ChatelaineModel
import ChatelaineTrustSettings
import Foundation
import Glibc

/// Has the distribution's own tools trust a certificate as well: curl, Python and whatever else reads its file.
///
/// They know no constraints: what is given to them they trust for everything.
struct DistributionTrust {
    /// A folder of certificates of the machine's own, and the tool that takes them over.
    struct Place {
        let folder: PublicFolder
        /// What the tool's package brings: a machine that has it has this place. It may be the folder itself.
        let sign: String
        /// Paths of tools, each with its words, of which the first that is there does it.
        let tools: [[String]]
        let ending: String
        /// Who has to own the sign and the tools: what others can write must not decide what root runs.
        var owner: uid_t = 0

        init(_ folder: String, sign: String, tools: [[String]], ending: String) {
            (self.folder, self.sign, self.tools, self.ending) = (PublicFolder(at: folder), sign, tools, ending)
        }
    }

    /// The first that a machine has counts: openSUSE's has Debian's tool, and Debian's folder need not be there.
    static let places = [
        // p11-kit's: Fedora and its kin, then Arch, then openSUSE.
        Place(
            "/etc/pki/ca-trust/source/anchors", sign: "/etc/pki/ca-trust/source", tools: [["/usr/bin/update-ca-trust"]],
            ending: ".pem"),
        Place(
            "/etc/ca-certificates/trust-source/anchors", sign: "/etc/ca-certificates/trust-source",
            tools: [["/usr/bin/update-ca-trust"], ["/usr/bin/trust", "extract-compat"]], ending: ".pem"),
        Place(
            "/etc/pki/trust/anchors", sign: "/etc/pki/trust", tools: [["/usr/sbin/update-ca-certificates"]],
            ending: ".pem"),
        // Debian and its kin, and Alpine.
        Place(
            "/usr/local/share/ca-certificates", sign: "/usr/sbin/update-ca-certificates",
            tools: [["/usr/sbin/update-ca-certificates"]], ending: ".crt"),
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

    /// Takes back what was given to these tools, to any that the machine has or had.
    ///
    /// - Returns: whether any of it was.
    @discardableResult
    func remove(_ certificates: [[UInt8]]) throws -> Bool {
        var isAnyChanged = false
        for place in places {
            var isChanged = false
            for certificate in certificates where try place.folder.remove(try place.name(of: certificate)) {
                isChanged = true
            }
            guard isChanged else { continue }
            isAnyChanged = true
            try place.update()
        }
        return isAnyChanged
    }
}

extension DistributionTrust.Place {
    fileprivate var isHere: Bool { isOwned(sign) }

    /// The words of the tool that is there.
    fileprivate var tool: [String]? { tools.first { $0.first.map { isOwned($0) && access($0, X_OK) == 0 } ?? false } }

    fileprivate func name(of certificate: [UInt8]) throws(KeychainError) -> String {
        try MachineTrustFolder.name(of: certificate, ending)
    }

    /// Whether it is there, and nobody but its owner can change it.
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
