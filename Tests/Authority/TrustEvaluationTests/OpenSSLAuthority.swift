import ChatelaineModel
import Foundation
import Testing
import TrustProtocol
import X509

@testable import TrustEvaluation

/// A chain of currently valid certificates, for which `openssl` makes lists and answers.
struct OpenSSLAuthority {
    typealias Wish = TestCertificate.Wish

    let folder: OpenSSLFolder
    var chain: TestChain

    static let good: [[TrustDefect]] = [[], [], []]

    /// Lists and answers are made now, so the certificates must be valid now.
    init(between: Wish = .authority("Between"), leaf: Wish = Wish()) throws {
        folder = try OpenSSLFolder()
        let now = Int64(Date().timeIntervalSince1970)
        func current(_ wish: Wish) -> Wish {
            wish.with {
                $0.from = now - 5 * TestCertificate.day
                $0.until = now + 300 * TestCertificate.day
            }
        }
        chain = try TestChain(root: current(.authority("Root")), between: current(between), leaf: current(leaf))
        chain.date = now
        for (name, certificate) in [("root", chain.root), ("between", chain.between), ("leaf", chain.leaf)] {
            try add(name, certificate)
        }
        try folder.write("number", "01\n")
    }

    func add(_ name: String, _ certificate: TestCertificate) throws {
        try folder.write(name, certificate.pem)
        try folder.write(name + ".key", try certificate.key.serializeAsPEM().pemString)
    }

    /// Writes openssl's database: state, end, time of the revocation, serial number and subject.
    func index(_ certificates: TestCertificate..., isRevoked: Bool = false) throws {
        let lines = certificates.map { certificate in
            let serial = certificate.certificate.serialNumber.bytes.map { String(format: "%02X", $0) }.joined()
            let state = isRevoked ? "R\t350101000000Z\t260101000000Z" : "V\t350101000000Z\t"
            return "\(state)\t\(serial)\tunknown\t/CN=x\n"
        }
        try folder.write("index", lines.joined())
    }

    /// - Parameters:
    ///   - extensions: Lines of openssl's configuration.
    ///   - options: Further words for openssl.
    func list(
        by issuer: String = "between", days: Int = 7, extensions: String = "", options: [String] = []
    ) throws -> [UInt8] {
        try folder.write(
            "conf",
            """
            [ca]
            default_ca=d
            [d]
            database=\(folder.path)/index
            crlnumber=\(folder.path)/number
            default_md=sha256
            [extensions]
            \(extensions)

            """)
        let words = [
            "ca", "-gencrl", "-config", "@conf", "-cert", "@" + issuer, "-keyfile", "@\(issuer).key", "-crldays",
            "\(days)", "-out", "@crl.pem",
        ]
        let made = try folder.run(words + options + (extensions.isEmpty ? [] : ["-crlexts", "extensions"]))
        #expect(made.exitStatus == 0, "\(made.errors)")
        try folder.run("crl", "-in", "@crl.pem", "-outform", "DER", "-out", "@crl")
        return try folder.bytes("crl")
    }

    /// - Parameter days: The time until the next answer, nil for an answer that does not state it.
    func answer(
        about certificate: String = "leaf", of issuer: String = "between", by signer: String = "between",
        days: Int? = 7, options: [String] = []
    ) throws -> [UInt8] {
        try folder.run("ocsp", "-issuer", "@" + issuer, "-cert", "@" + certificate, "-reqout", "@request", "-no_nonce")
        let words = [
            "ocsp", "-index", "@index", "-CA", "@" + issuer, "-rsigner", "@" + signer, "-rkey", "@\(signer).key",
            "-reqin", "@request", "-respout", "@response",
        ]
        let signing = options.map { $0 == "-sigopt" ? "-rsigopt" : $0 }
        let made = try folder.run(words + signing + (days.map { ["-ndays", "\($0)"] } ?? []))
        #expect(made.exitStatus == 0, "\(made.errors)")
        return try folder.bytes("response")
    }

    func defects(_ change: (inout TrustCase) -> Void = { _ in }) -> [[TrustDefect]] { chain.defects(change) }

    /// The defects of a chain with these lists and answers.
    func defects(
        lists: [[UInt8]] = [], responses: [[UInt8]] = [], requires: Bool = false, at date: Int64? = nil
    ) -> [[TrustDefect]] {
        defects {
            $0.question.revocationLists = lists
            $0.question.responses = responses
            $0.question.date = date
            if requires {
                $0.question.policies.append(TrustPolicy(.revocation, revocation: [.ocsp, .requirePositiveResponse]))
            }
        }
    }
}
