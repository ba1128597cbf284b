import ChatelaineCryptography
import ChatelaineMemory
import ChatelaineModel
import KeyFormats

/// Files of keys by Chatelaine's own writers, and pieces of them.
///
/// Files by other programs are copied from `Tests/Keys/KeyFormatsTests/Fixtures`.
extension Seeds {
    /// A key that is the same in every run.
    private static let key: ExternalItem = {
        let secret = SecretBytes([UInt8](repeating: 9, count: 32))
        return ExternalItem(.privateKey(.ed25519, secret), label: "one")
    }()

    static func formats() throws -> [Seed] {
        try KeyFormats.start()
        var seeds: [Seed] = [
            (
                "ssh",
                Array("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJ one\n".utf8)
            ),
            ("sequence", [0x30, 3, 2, 1, 0]),
            ("rsa-public", [0x30, 6, 2, 1, 7, 2, 1, 3]),
            (
                "header",
                Array(
                    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00112233445566778899AABBCCDDEEFF\n\nAAAA\n-----END RSA PRIVATE KEY-----\n"
                        .utf8)
            ),
        ]
        for (name, isArmoured) in [("pkcs8", false), ("pkcs8-pem", true)] {
            let file = try FormatWriter.write(ExternalOrder([key], format: .openSSL, isArmoured: isArmoured))
            seeds.append((name, file.withUnsafeBytes { [UInt8]($0) }))
        }
        return seeds
    }

    static func bundles() throws -> [Seed] {
        try KeyFormats.start()
        return [
            (
                "encrypted",
                [0x30, 0x14, 0x30, 0x0E, 6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 5, 0x0D, 0x30, 1, 0, 4, 2, 1, 2]
            ),
            (
                "bundle",
                [0x30, 0x14, 2, 1, 3, 0x30, 0x0F, 6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 1, 0xA0, 2, 4, 0]
            ),
        ]
    }
}
