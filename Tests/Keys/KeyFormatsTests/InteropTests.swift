import ChatelaineMemory
import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import KeyFormats

/// Files of ours as Java and GnuTLS read them, and theirs as we do: `make interop`, since both are much to install for one test.
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
        // Java has read the keys only where it can write them elsewhere.
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
}
