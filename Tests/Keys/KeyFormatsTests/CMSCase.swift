import ChatelaineMemory
import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import KeyFormats

/// A folder with keys and certificates of `openssl`, and messages exchanged with it.
struct CMSCase {
    static let text = "A sentence\nof two lines.\n"
    let files: FormatCase

    init() throws {
        files = try FormatCase()
        try Data(Self.text.utf8).write(to: URL(fileURLWithPath: files.folder("text")))
    }

    func certificate(_ name: String, _ kind: String = "ec -pkeyopt ec_paramgen_curve:P-256") throws {
        try files.openssl(
            "req -x509 -newkey \(kind) -nodes -keyout @\(name).key -out @\(name).pem -subj /CN=\(name) -days 30")
    }

    func der(_ name: String) throws -> [UInt8] {
        try files.openssl("x509 -in @\(name).pem -outform DER -out @\(name).der")
        return try files.bytes("\(name).der")
    }

    func read(
        _ name: String, content: String? = nil, of certificates: [String] = [], key: CMSKey? = nil
    ) throws -> CMSContent {
        try Self.read(try files.bytes(name), content: content, of: certificates.map { try der($0) }, key: key)
    }

    static func read(
        _ bytes: [UInt8], content: String? = nil, of certificates: [[UInt8]] = [], key: CMSKey? = nil
    ) throws(FormatFailure) -> CMSContent {
        try CMSReader.read(
            CMSMessage(
                SecretBytes(bytes), content: content.map { SecretBytes($0.utf8) }, certificates: certificates, key: key)
        )
    }

    /// A message of ours, signed by `openssl dgst` with the key of this name.
    func signed(
        _ name: String, _ digest: CMSDigest = .sha256, by key: String? = nil,
        _ more: (inout CMSSigning) -> Void = { _ in }
    ) throws -> SecretBytes {
        var signing = CMSSigning(try der(name), digest)
        more(&signing)
        let content = SecretBytes(Self.text.utf8)
        try files.put(try CMSWriter.write(CMSOrder(content, .sign(signing))), "attributes")
        try files.openssl("dgst -\(digest.name.lowercased()) -sign @\(key ?? name).key -out @signature @attributes")
        signing.signature = try files.bytes("signature")
        return try CMSWriter.write(CMSOrder(content, .sign(signing)))
    }
}

extension CMSContent {
    var text: String? { content.map { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } } }
}
