import ChatelaineMemory
import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import KeyFormats

/// Java and GnuTLS read our files, and we read theirs.
///
/// `make interop` runs these tests, since both programs are much to install for one test.
@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["CHATELAINE_INTEROP"] != nil, "optional: make interop runs these"))
struct InteropTests {
    private let files: FormatCase

    init() throws { files = try FormatCase() }

    private static func has(_ program: String) -> Bool {
        (try? CommandRun(["/usr/bin/env", program, "--help"]))?.exitStatus ?? 127 != 127
    }

    private func bundle(_ name: String) throws {
        let content = try FormatCase.read(try FormatCase.fixture("java.p12"), passphrase: "password")
        try files.put(
            try FormatWriter.write(
                ExternalOrder(content.items, format: .pkcs12, passphrase: SecretBytes("secret".utf8))), name)
    }

    @Test(.enabled(if: has("keytool"), "optional: keytool is not here")) func java() throws {
        try bundle("ours.p12")
        let listed = try files.run("keytool", "-list -keystore @ours.p12 -storepass secret")
        #expect(listed.components(separatedBy: "PrivateKeyEntry").count == 3, "\(listed)")
        // Java proves that it has read the keys by writing them to another file.
        try files.run(
            "keytool",
            "-importkeystore -srckeystore @ours.p12 -srcstorepass secret -destkeystore @theirs.p12 -deststoretype PKCS12 -deststorepass another"
        )
        let again = try files.read("theirs.p12", passphrase: "another")
        #expect(again.items.filter { $0.kind == .privateKey }.compactMap(\.label).sorted() == ["ec", "rsa"])
    }

    @Test(.enabled(if: has("certtool"), "optional: certtool is not here")) func gnuTLS() throws {
        try bundle("ours.p12")
        let shown = try files.run("certtool", "--p12-info --inder --infile @ours.p12 --password secret")
        #expect(
            shown.components(separatedBy: "BEGIN ENCRYPTED PRIVATE KEY").count == 3 || shown.contains("PRIVATE KEY"))
        try files.run(
            "certtool",
            "--generate-privkey --key-type ecdsa --curve secp384r1 --pkcs8 --password secret --outfile @theirs.pem")
        #expect(try files.read("theirs.pem", passphrase: "secret").items.first?.key().bits == 384)
    }

    /// Separate keys and certificates: PKCS#8 unencrypted and encrypted, public keys, X.509 and PKCS#7, as text and in
    /// binary.
    @Test(.enabled(if: has("certtool"), "optional: certtool is not here"), arguments: [true, false])
    func gnuTLSReadsParts(isArmoured: Bool) throws {
        let encoding = isArmoured ? "" : "--inder "
        let content = try FormatCase.read(try FormatCase.fixture("java.p12"), passphrase: "password")
        let keys = content.items.filter { $0.kind == .privateKey }
        for key in keys {
            let bits = try key.key().bits
            try put([key], .openSSL, isArmoured, "key")
            let shown = try files.run("certtool", "--key-info \(encoding)--infile @key")
            #expect(shown.contains("(\(bits) bits)"), "\(shown)")
            try put([key], .wrappedPKCS8, isArmoured, "wrapped", passphrase: "secret")
            let opened = try files.run(
                "certtool", "--key-info --pkcs8 \(encoding)--password secret --infile @wrapped")
            #expect(opened.contains("(\(bits) bits)"), "\(opened)")
        }
        let certificates = content.items.filter { $0.kind == .certificate }
        try put([certificates[0]], .x509, isArmoured, "certificate")
        #expect(
            try files.run("certtool", "--certificate-info \(encoding)--infile @certificate").contains(
                "X.509 Certificate"))
        try put(certificates, .pkcs7, isArmoured, "chain.p7b")
        let chain = try files.run("certtool", "--p7-info \(encoding)--infile @chain.p7b")
        #expect(chain.components(separatedBy: "BEGIN CERTIFICATE").count == certificates.count + 1, "\(chain)")
    }

    @Test(.enabled(if: has("keytool"), "optional: keytool is not here"), arguments: [true, false])
    func javaReadsCertificates(isArmoured: Bool) throws {
        let content = try FormatCase.read(try FormatCase.fixture("java.p12"), passphrase: "password")
        let certificates = content.items.filter { $0.kind == .certificate }
        try put([certificates[0]], .x509, isArmoured, "certificate")
        #expect(try files.run("keytool", "-printcert -file @certificate").contains("SHA256:"))
        try put(certificates, .pkcs7, isArmoured, "chain.p7b")
        let chain = try files.run("keytool", "-printcert -file @chain.p7b")
        #expect(chain.components(separatedBy: "SHA256:").count == certificates.count + 1, "\(chain)")
    }

    private func put(
        _ items: [ExternalItem], _ format: ExternalFormat, _ isArmoured: Bool, _ name: String, passphrase: String? = nil
    ) throws {
        let order = ExternalOrder(
            items, format: format, isArmoured: isArmoured, passphrase: passphrase.map { SecretBytes($0.utf8) })
        try files.put(try FormatWriter.write(order), name)
    }
}
