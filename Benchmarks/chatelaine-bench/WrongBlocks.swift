import Crypto
import Foundation
import Security

/// Measures the time to reject a wrong OAEP block, for each kind of defect.
///
/// A difference between the kinds would reveal other messages (Manger's attack).
///
/// A person has to judge the figures: load on the machine also makes differences, which no test could tell apart.
struct WrongBlocks {
    private static let rounds = 2_000
    /// The number of blocks of each kind. The library's work before the check depends on the block; several even that
    /// out.
    private static let blocks = 32
    private static let bits = 2048

    private enum Kind: CaseIterable {
        case right
        case first
        case label
        case separator
    }

    func measure(_ table: inout Table) throws {
        let parameters = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: Self.bits] as CFDictionary
        guard let key = SecKeyCreateRandomKey(parameters, nil), let publicKey = SecKeyCopyPublicKey(key) else {
            throw BenchError("no key is made")
        }
        var sealed: [Kind: [CFData]] = [:]
        for kind in Kind.allCases {
            sealed[kind] = try (0..<Self.blocks).map { _ in
                guard
                    let data = SecKeyCreateEncryptedData(
                        publicKey, .rsaEncryptionRaw, NSData(data: Data(Self.block(kind))), nil)
                else { throw BenchError("no block is sealed") }
                return data
            }
        }
        var times: [Kind: Samples] = [:]
        for round in 0..<Self.rounds {
            // The kinds take turns, so that other load on the machine affects all kinds equally.
            for kind in Kind.allCases {
                guard let data = sealed[kind]?[round % Self.blocks] else { continue }
                try times[kind, default: Samples()].measure {
                    let opened = SecKeyCreateDecryptedData(key, .rsaEncryptionOAEPSHA256, data, nil)
                    try BenchError.check((opened != nil) == (kind == .right), "a block is taken for another")
                }
            }
        }
        let medians = [Kind.first, .label, .separator].map { times[$0]?.median ?? .nan }
        table.add(
            "decrypt a wrong block, RSA-2048 OAEP: first byte, label, separator",
            medians.map { "\(table.text($0)) µs" }.joined(separator: ", "),
            floor: "a right one: \(table.text(times[.right]?.median ?? .nan)) µs",
            ratio: table.text((medians.max() ?? .nan) / (medians.min() ?? .nan)), target: "1.00 ×")
    }

    /// Makes a block with SHA-256, as RFC 8017, 7.1.1, specifies.
    private static func block(_ kind: Kind) -> [UInt8] {
        let seed = (0..<SHA256.byteCount).map { _ in UInt8.random(in: 0...255) }
        var label = Array(SHA256.hash(data: [UInt8]()))
        if kind == .label { label[0] ^= 1 }
        let message = [UInt8](repeating: 7, count: 32)
        let separator: UInt8 = kind == .separator ? 2 : 1
        let used = 1 + seed.count + label.count + 1 + message.count
        let data = label + [UInt8](repeating: 0, count: bits / 8 - used) + [separator] + message
        let masked = zip(data, mask(seed, data.count)).map { $0 ^ $1 }
        return [kind == .first ? 1 : 0] + zip(seed, mask(masked, seed.count)).map { $0 ^ $1 } + masked
    }

    /// MGF1 (RFC 8017, B.2.1).
    private static func mask(_ seed: [UInt8], _ count: Int) -> [UInt8] {
        (UInt8(0)...7).flatMap { Array(SHA256.hash(data: seed + [0, 0, 0, $0])) }.prefix(count).map { $0 }
    }
}
