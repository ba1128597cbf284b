import ChatelaineModel
import SignatureFormat

/// Seeds: what ``FuzzAuthority`` has issued, alone and in chains.
enum Seeds {
    static func write(to folder: String) throws {
        try SeedFiles.write(certificates, .certificates, folder)
        try SeedFiles.write(evaluations, .evaluations, folder)
        try SeedFiles.write(revocations, .revocations, folder)
    }

    private static let issued: [(name: String, bytes: [UInt8])] = [
        ("root", FuzzAuthority.root), ("intermediate", FuzzAuthority.intermediate), ("leaf", FuzzAuthority.leaf),
    ]

    private static var certificates: [Seed] {
        let others = zip(["rsa", "curve"], FuzzCertificates.all).map { (name: $0, bytes: $1) }
        let all = issued + others
        return all.map { (name: "certificate-\($0.name)", content: [0] + $0.bytes) }
            + all.map { (name: "content-\($0.name)", content: [1] + FuzzAuthority.content(of: $0.bytes)) }
            + [
                (name: "name", content: [2] + name),
                (name: "bundle", content: [3] + all.flatMap { pem($0.bytes) }),
            ]
    }

    /// A name with every type of string.
    private static let name: [UInt8] = {
        let texts: [(tag: UInt8, text: [UInt8])] = [
            (0x0C, Array("J\u{FC}rgen".utf8)), (0x13, Array("Fuzz  Ltd".utf8)), (0x14, [0x61, 0xE9]),
            (0x1E, [0x00, 0x61, 0x01, 0x31]), (0x16, Array("a@b".utf8)), (0x1C, [0, 0, 0, 0x61]),
        ]
        let parts = texts.map { part in
            let pair = FuzzAuthority.element(0x06, [0x55, 0x04, 0x03]) + FuzzAuthority.element(part.tag, part.text)
            return FuzzAuthority.element(0x31, FuzzAuthority.element(0x30, pair))
        }
        return FuzzAuthority.element(0x30, Array(parts.joined()))
    }()

    private static func pem(_ der: [UInt8]) -> [UInt8] {
        Array("# one\n-----BEGIN CERTIFICATE-----\n".utf8) + Base64.standard.encode(der)
            + Array("\n-----END CERTIFICATE-----\n".utf8)
    }

    private static var evaluations: [Seed] {
        let leaf = FuzzAuthority.content(of: FuzzAuthority.leaf)
        let intermediate = FuzzAuthority.content(of: FuzzAuthority.intermediate)
        // Each policy with the chain as issued, and with a chain signed from the same content.
        return (UInt8(0)..<6).map { (name: "chain-\($0)", content: [$0, 0, 1]) }
            + (UInt8(0)..<6).map { (name: "signed-\($0)", content: [$0] + piece(3, leaf) + piece(3, intermediate)) }
            + [
                (name: "pss-chain", content: [0] + piece(2, FuzzAuthority.pssLeaf) + piece(2, FuzzAuthority.pssRoot)),
                (name: "unsigned", content: [0] + piece(2, FuzzAuthority.leaf) + [1]),
                (name: "loop", content: [0] + piece(3, intermediate) + piece(3, intermediate) + [1, 1]),
            ]
    }

    private static var revocations: [Seed] {
        let basic = FuzzAuthority.basic(of: FuzzAuthority.response)
        let content = FuzzAuthority.content(of: basic)
        let list = FuzzAuthority.content(of: FuzzAuthority.list)
        let pieces: [(name: String, bytes: [UInt8])] = [
            ("response", piece(0, FuzzAuthority.response)), ("basic", piece(1, basic)), ("answer", piece(2, content)),
            ("list", piece(3, FuzzAuthority.list)), ("entries", piece(4, list)),
            ("issuer", piece(5, FuzzAuthority.intermediate)), ("message", piece(5, FuzzAuthority.message)),
        ]
        return [UInt8(0), 1].flatMap { isRequired in
            pieces.map { (name: "\($0.name)-\(isRequired)", content: [isRequired] + $0.bytes) }
        } + [(name: "all", content: [1] + pieces.filter { $0.name != "response" }.prefix(4).flatMap(\.bytes))]
    }

    private static func piece(_ kind: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        [kind, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }
}
