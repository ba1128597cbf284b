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

    private static let debian = "/usr/sbin/update-ca-certificates"

    /// The first that a machine has counts. Two distributions have a tool of one name, which reads another folder in each: there the sign is
    /// what only that one's package brings, and no folder that anybody may have made.
    static let places = [
        // openSUSE's.
        Place(
            "/etc/pki/trust/anchors", sign: "/usr/lib/ca-certificates/update.d", tools: [[debian]], ending: ".pem"),
        // Debian and its kin, and Alpine.
        Place("/usr/local/share/ca-certificates", sign: "/etc/ca-certificates.conf", tools: [[debian]], ending: ".crt"),
        // p11-kit's: Fedora and its kin, then Arch.
        Place(
            "/etc/pki/ca-trust/source/anchors", sign: "/etc/pki/ca-trust/source", tools: [["/usr/bin/update-ca-trust"]],
            ending: ".pem"),
        Place(
            "/etc/ca-certificates/trust-source/anchors", sign: "/etc/ca-certificates/trust-source",
            tools: [["/usr/bin/update-ca-trust"], ["/usr/bin/trust", "extract-compat"]], ending: ".pem"),
        // Debian's without the list of what to leave out.
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

    /// Takes back what was given to these tools, to any that the machine has or had.
    ///
    /// A file that is gone says nothing to a tool that did not run: a mark stays beside it until one did, and whatever is taken back next
    /// has the tool run again. What fails in one place keeps nothing in another.
    ///
    /// - Returns: whether any of it was.
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

    /// The words of the tool that is there.
    fileprivate var tool: [String]? { tools.first { $0.first.map { isOwned($0) && access($0, X_OK) == 0 } ?? false } }

    fileprivate func name(of certificate: [UInt8]) throws(KeychainError) -> String {
        try MachineTrustFolder.name(of: certificate, ending)
    }

    /// - Returns: whether it had any of them, or the tool still had.
    fileprivate func remove(_ certificates: [[UInt8]]) throws -> Bool {
        var isChanged = false
        for certificate in certificates {
            let name = try name(of: certificate)
            guard try folder.has(name) else { continue }
            // On a full disk there is no mark, and the certificate goes all the same.
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

    /// Of what was taken away, and the tool may not know it. p11-kit's read whatever is in their folder, and nothing below it; Debian's reads
    /// below it what has the ending of certificates.
    private var marks: PublicFolder { PublicFolder(at: folder.path + "/.chatelaine-removed") }
    private static func mark(_ name: String) -> String { name + ".removed" }

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
