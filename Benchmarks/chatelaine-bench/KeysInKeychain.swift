import CChatelaineCrypto
import Foundation
import Security
import TestSupport

/// Measures keys in the keychain, identities, and files of keys.
///
/// The floor of a private key is the cryptographic library with two look-ups.
struct KeysInKeychain {
    private static let digest = [UInt8](repeating: 7, count: 32)
    /// The number of signatures; RSA takes a millisecond of processor time for each.
    private static let signatures = 1_000
    private static let certificates = 10_000
    private static let identities = 20
    private static let searches = 2_000

    let workload: Workload

    func measure(_ table: inout Table) throws {
        Bench.note("keys of the keychain")
        try signing(
            "sign, P-256, key of the keychain", kSecAttrKeyTypeEC, 256, Int32(CHATELAINE_KEY_EC),
            .ecdsaSignatureDigestX962SHA256, fill: Int32(CHATELAINE_FILL_NONE), &table)
        try signing(
            "sign, RSA-2048, key of the keychain", kSecAttrKeyTypeRSA, 2048, Int32(CHATELAINE_KEY_RSA),
            .rsaSignatureDigestPKCS1v15SHA256, fill: Int32(CHATELAINE_FILL_PKCS1), &table)
        try importing(&table)
        try finding(&table)
    }

    private func signing(
        _ what: String, _ type: CFString, _ bits: Int, _ number: Int32, _ algorithm: SecKeyAlgorithm, fill: Int32,
        _ table: inout Table
    ) throws {
        let key = try Self.storedKey(type, bits, "signing")
        let bare = try BareKey(number, bits: Int32(bits))
        let data = NSData(data: Data(Self.digest))
        let medians = try Measurements.compare(
            calls: Self.signatures,
            { step in
                let lookUps = [workload.copySecret(step), workload.copySecret(step + 1)]
                return {
                    try bare.sign(Self.digest, fill: fill)
                    for lookUp in lookUps { try lookUp() }
                }
            },
            { _ in
                {
                    try BenchError.check(
                        SecKeyCreateSignature(key, algorithm, data, nil) != nil, "nothing is signed")
                }
            })
        table.add(
            what, "\(table.text(medians.call)) µs",
            floor: "signature and two look-ups: \(table.text(medians.floor)) µs",
            ratio: table.text(medians.call / medians.floor), target: "≤ 1.00 ×")
    }

    /// Measures the import of a file of OpenSSL, beside the openssl command that reads it.
    private func importing(_ table: inout Table) throws {
        guard let path = ProcessInfo.processInfo.environment["BENCH_PKCS12"],
            let openssl = ProcessInfo.processInfo.environment["BENCH_OPENSSL"]
        else { return }
        let file = NSData(data: try Data(contentsOf: URL(fileURLWithPath: path)))
        let options: [String: Any] = [
            kSecImportExportPassphrase as String: "password", kSecImportToMemoryOnly as String: true,
        ]
        let dictionary = options as CFDictionary
        let command = [openssl, "pkcs12", "-in", path, "-passin", "pass:password", "-nodes", "-out", "/dev/null"]
        var (calls, floors) = (Samples(), Samples())
        for _ in 0..<100 {
            try floors.measure { try OwnProgram.run(command) }
            try calls.measure {
                var items: CFArray?
                let status = SecPKCS12Import(file, dictionary, &items)
                try BenchError.check(status == 0 && items?.count == 1, "import: \(status)")
            }
        }
        table.add(
            "SecPKCS12Import, a chain of three", "\(table.text(calls.median / 1000)) ms",
            floor: "openssl pkcs12: \(table.text(floors.median / 1000)) ms",
            ratio: table.text(calls.median / floors.median), target: "≤ 1.50 ×")
    }

    /// Measures finding an identity by its label among many certificates, beside finding a password among a thousand.
    private func finding(_ table: inout Table) throws {
        Bench.note("storing \(Self.certificates) certificates")
        let template = try CertificateTemplate()
        for index in 0..<Self.certificates {
            let isIdentity = index < Self.identities
            let key = isIdentity ? try Self.storedKey(kSecAttrKeyTypeEC, 256, "identity \(index)") : nil
            let certificate = try template.certificate(of: key)
            let status = SecItemAdd(
                [kSecValueRef as String: certificate, kSecAttrLabel as String: Self.label(index)] as CFDictionary, nil)
            try BenchError.check(status == 0, "a certificate is added: \(status)")
        }
        let medians = try Measurements.compare(calls: Self.searches, workload.copySecret) { step in
            let query: [String: Any] = [
                kSecClass as String: kSecClassIdentity, kSecAttrLabel as String: Self.label(step % Self.identities),
                kSecReturnRef as String: true,
            ]
            let dictionary = query as CFDictionary
            return {
                var found: CFTypeRef?
                let status = SecItemCopyMatching(dictionary, &found)
                try BenchError.check(status == 0 && found is SecIdentity, "an identity is found: \(status)")
            }
        }
        table.add(
            "find an identity among \(Self.certificates) certificates", "\(table.text(medians.call)) µs",
            floor: "look-up with secret: \(table.text(medians.floor)) µs",
            ratio: table.text(medians.call / medians.floor), target: "≤ 2.00 ×")
    }

    private static func label(_ index: Int) -> String { "certificate \(index) of the benchmark" }

    private static func storedKey(_ type: CFString, _ bits: Int, _ label: String) throws -> SecKey {
        let parameters: [String: Any] = [
            kSecAttrKeyType as String: type, kSecAttrKeySizeInBits as String: bits,
            kSecAttrIsPermanent as String: true, kSecAttrLabel as String: "benchmark, \(label)",
        ]
        guard let key = SecKeyCreateRandomKey(parameters as CFDictionary, nil) else {
            throw BenchError("no key is made in the keychain")
        }
        return key
    }
}

/// A key in the cryptographic library alone.
private final class BareKey {
    private let key: OpaquePointer

    init(_ number: Int32, bits: Int32) throws {
        var handle: OpaquePointer?
        _ = chatelaine_key_generate(number, bits, &handle)
        guard let handle else { throw BenchError("the floor makes no key") }
        key = handle
    }

    deinit { chatelaine_key_free(key) }

    func sign(_ digest: [UInt8], fill: Int32) throws {
        var (signature, count) = ([UInt8](repeating: 0, count: Int(CHATELAINE_BLOCK_BYTES)), 0)
        try BenchError.check(
            chatelaine_key_sign(
                key, fill, Int32(CHATELAINE_DIGEST_SHA256), digest, digest.count, &signature, &count) == 0,
            "the floor signs nothing")
    }
}

/// Makes certificates that differ in their numbers and keys. Their signatures are not valid; storing does not check
/// them.
private struct CertificateTemplate {
    private let der: Data
    private let number: Range<Int>
    private let point: Range<Int>

    init() throws {
        guard let der = Data(base64Encoded: SampleCertificates.root),
            let certificate = SecCertificateCreateWithData(nil, NSData(data: der)),
            let serial = SecCertificateCopySerialNumberData(certificate, nil) as Data?,
            let key = SecCertificateCopyKey(certificate),
            let bytes = SecKeyCopyExternalRepresentation(key, nil) as Data?,
            let number = der.range(of: serial), let point = der.range(of: bytes)
        else { throw BenchError("the sample is no certificate") }
        (self.der, self.number, self.point) = (der, number, point)
    }

    /// - Parameter key: the key whose public key the certificate gets; nil for the sample's own.
    func certificate(of key: SecKey?) throws -> SecCertificate {
        var bytes = der
        // The serial number has to be positive and keep its length.
        let drawn = number.map { $0 == number.lowerBound ? UInt8.random(in: 1...127) : UInt8.random(in: 0...255) }
        bytes.replaceSubrange(number, with: drawn)
        if let key {
            guard let publicKey = SecKeyCopyPublicKey(key),
                let other = SecKeyCopyExternalRepresentation(publicKey, nil) as Data?, other.count == point.count
            else { throw BenchError("a key of the keychain has no public key") }
            bytes.replaceSubrange(point, with: other)
        }
        guard let certificate = SecCertificateCreateWithData(nil, NSData(data: bytes)) else {
            throw BenchError("no certificate is made")
        }
        return certificate
    }
}
