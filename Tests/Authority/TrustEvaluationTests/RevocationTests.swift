import ChatelaineModel
import Foundation
import Testing
import X509

@testable import TrustEvaluation

/// What lists and answers say of certificates that were revoked; `openssl` makes them.
struct RevocationTests {
    typealias Wish = TestCertificate.Wish

    private let folder: OpenSSLFolder
    private let chain: TestChain

    /// Lists and answers are made now, so that certificates have to be valid now.
    init() throws {
        folder = try OpenSSLFolder()
        let now = Int64(Date().timeIntervalSince1970)
        func current(_ wish: Wish) -> Wish {
            wish.with {
                $0.from = now - 5 * TestCertificate.day
                $0.until = now + 300 * TestCertificate.day
            }
        }
        var chain = try TestChain(
            root: current(.authority("Root")), between: current(.authority("Between")), leaf: current(Wish()))
        chain.date = now
        self.chain = chain
        for (name, certificate) in [("root", chain.root), ("between", chain.between), ("leaf", chain.leaf)] {
            try folder.write(name, certificate.pem)
            try folder.write(name + ".key", try certificate.key.serializeAsPEM().pemString)
        }
        try folder.write(
            "conf",
            "[ca]\ndefault_ca=d\n[d]\ndatabase=\(folder.path)/index\ncrlnumber=\(folder.path)/number\ndefault_md=sha256\n"
        )
        try folder.write("number", "01\n")
    }

    /// The line of openssl's data base: state, end, moment of the revocation, serial number, subject.
    private func index(_ certificate: TestCertificate, isRevoked: Bool) throws {
        let serial = certificate.certificate.serialNumber.bytes.map { String(format: "%02X", $0) }.joined()
        let state = isRevoked ? "R\t350101000000Z\t260101000000Z" : "V\t350101000000Z\t"
        try folder.write("index", "\(state)\t\(serial)\tunknown\t/CN=x\n")
    }

    private func list(by issuer: String, days: Int = 7) throws -> [UInt8] {
        try folder.run(
            "ca", "-gencrl", "-config", "@conf", "-cert", "@" + issuer, "-keyfile", "@\(issuer).key", "-crldays",
            "\(days)",
            "-out", "@crl.pem")
        try folder.run("crl", "-in", "@crl.pem", "-outform", "DER", "-out", "@crl")
        return try folder.bytes("crl")
    }

    private func answer(by signer: String = "between") throws -> [UInt8] {
        try folder.run(
            "ocsp", "-issuer", "@between", "-cert", "@leaf", "-reqout", "@request", "-no_nonce")
        let made = try folder.run(
            "ocsp", "-index", "@index", "-CA", "@between", "-rsigner", "@" + signer, "-rkey", "@\(signer).key",
            "-ndays", "7",
            "-reqin", "@request", "-respout", "@response")
        #expect(made.exitStatus == 0, "\(made.errors)")
        return try folder.bytes("response")
    }

    private func defects(
        lists: [[UInt8]] = [], responses: [[UInt8]] = [], requires: Bool = false, at date: Int64? = nil
    )
        -> [[TrustDefect]]
    {
        chain.defects {
            $0.question.revocationLists = lists
            $0.question.responses = responses
            $0.question.date = date
            if requires {
                $0.question.policies.append(TrustPolicy(.revocation, revocation: [.ocsp, .requirePositiveResponse]))
            }
        }
    }

    private static let good: [[TrustDefect]] = [[], [], []]

    @Test func listsName() throws {
        try index(chain.leaf, isRevoked: true)
        let revoked = try list(by: "between")
        #expect(defects(lists: [revoked]) == [[.revoked], [], []])
        // Of another issuer, or one that somebody has changed.
        #expect(defects(lists: [try list(by: "root")]) == Self.good)
        var changed = revoked
        changed[changed.count - 1] ^= 1
        #expect(defects(lists: [changed, [1, 2, 3]]) == Self.good)
        // One that is out of date says nothing.
        let later = chain.date + 20 * TestCertificate.day
        #expect(defects(lists: [revoked], requires: true, at: later) == [[.revocationUnknown], [], []])
        try index(chain.between, isRevoked: true)
        #expect(defects(lists: [try list(by: "root")]) == [[], [.revoked], []])
    }

    @Test func aListWithoutItIsAnAnswer() throws {
        try folder.write("index", "")
        #expect(defects(requires: true) == [[.revocationUnknown], [], []])
        #expect(defects(lists: [try list(by: "between")], requires: true) == Self.good)
    }

    @Test func answersSay() throws {
        try index(chain.leaf, isRevoked: false)
        let good = try answer()
        #expect(defects(responses: [good], requires: true) == Self.good)
        let verdict = chain.verdict { $0.question.responses = [good] }
        #expect((verdict.goodUntil ?? 0) > chain.date)
        try index(chain.leaf, isRevoked: true)
        let revoked = try answer()
        #expect(defects(responses: [revoked]) == [[.revoked], [], []])
        // Whoever says that it is revoked is believed.
        #expect(defects(responses: [good, revoked]) == [[.revoked], [], []])
        let later = chain.date + 20 * TestCertificate.day
        #expect(defects(responses: [good], requires: true, at: later) == [[.revocationUnknown], [], []])
        var changed = good
        // Within what is signed: who answers, and when.
        changed[100] ^= 1
        #expect(defects(responses: [changed, []], requires: true) == [[.revocationUnknown], [], []])
    }

    @Test func answersAreByWhoMayGiveThem() throws {
        try index(chain.leaf, isRevoked: false)
        // The root issued the issuer, and has no say about what that one issued.
        #expect(defects(responses: [try answer(by: "root")], requires: true) == [[.revocationUnknown], [], []])
        for (name, purposes, isGood) in [
            ("one", [ExtendedKeyUsage.Usage.ocspSigning], true), ("two", [.serverAuth], false),
        ] {
            let signer = try TestCertificate(
                Wish(name: name).with {
                    $0.purposes = purposes
                    $0.from = chain.date - TestCertificate.day
                    $0.until = chain.date + TestCertificate.day
                }, by: chain.between)
            try folder.write(name, signer.pem)
            try folder.write(name + ".key", try signer.key.serializeAsPEM().pemString)
            let defects = defects(responses: [try answer(by: name)], requires: true)
            #expect(defects == (isGood ? Self.good : [[.revocationUnknown], [], []]), "\(name)")
        }
    }
}
