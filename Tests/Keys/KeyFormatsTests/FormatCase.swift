import ChatelaineCryptography
import ChatelaineMemory
import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import KeyFormats

/// A folder in which the `openssl` command and our readers and writers work on the same files.
struct FormatCase {
    let folder: TemporaryFolder

    init() throws {
        try KeyFormats.start()
        folder = try TemporaryFolder()
    }

    /// Runs a command line of `openssl`.
    ///
    /// An `@` stands for the folder before names of files.
    @discardableResult
    func openssl(_ line: String) throws -> String { try run("openssl", line) }

    @discardableResult
    func run(_ program: String, _ line: String) throws -> String {
        let words = line.split(separator: " ").map { word in
            String(word).replacing("@", with: folder.path + "/").replacing("~", with: "")
        }
        let run = try CommandRun(["/usr/bin/env", program] + words)
        #expect(run.exitStatus == 0, "\(program) \(line): \(run.errors)")
        return run.output
    }

    func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder(name)))) }

    func put(_ bytes: SecretBytes, _ name: String) throws {
        try bytes.withUnsafeBytes { try Data($0).write(to: URL(fileURLWithPath: folder(name))) }
    }

    func read(_ name: String, passphrase: String? = nil) throws -> ExternalContent {
        try Self.read(try bytes(name), passphrase: passphrase)
    }

    static func read(
        _ bytes: [UInt8], format: ExternalFormat = .unknown, kind: ExternalKind = .unknown, passphrase: String? = nil
    ) throws(FormatFailure) -> ExternalContent {
        try FormatReader.read(
            ExternalFile(
                SecretBytes(bytes), format: format, kind: kind, passphrase: passphrase.map { SecretBytes($0.utf8) }))
    }

    static func fixture(_ name: String) throws -> [UInt8] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")
        return [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
    }
}

extension ExternalItem {
    /// The key for calculations.
    ///
    /// Making it fails if the parts of the key do not belong together.
    func key() throws -> CryptographicKey {
        switch content {
        case .privateKey(let kind, let bytes):
            return try bytes.withUnsafeBytes {
                try CryptographicKey(kind, isPrivate: true, representation: $0)
            }
        case .publicKey(let kind, let bytes):
            return try CryptographicKey(kind, publicRepresentation: bytes)
        default: throw KeychainError(.param, "no key")
        }
    }

    var certificate: (der: [UInt8], key: [UInt8]?)? {
        if case .certificate(let der, let key) = content { (der, key) } else { nil }
    }
}
