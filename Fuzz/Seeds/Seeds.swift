import ChatelaineMemory
import ChatelaineModel
import Glibc

/// Seeds: a few realistic messages, rows and files of each kind.
///
/// The fuzzed code writes them, so that a call makes new seeds for a new format.
enum Seeds {
    static func seed(_ name: String, _ kind: UInt8? = nil, _ encode: (inout CBORWriter) -> Void) -> Seed {
        (name, (kind.map { [$0] } ?? []) + encoding(encode))
    }

    static func write(to folder: String) throws {
        try SeedFiles.write(cbor, .cbor, folder)
        try SeedFiles.write(frames, .frames, folder)
        try SeedFiles.write(messages, .messages, folder)
        try SeedFiles.write(dialogs, .dialogs, folder)
        try SeedFiles.write(signatures, .signatures, folder)
        try SeedFiles.write(formats(), .formats, folder)
        try SeedFiles.write(bundles(), .bundles, folder)
        try SeedFiles.write(access, .access, folder)
        try SeedFiles.write(queries, .queries, folder)
        try SeedFiles.write(rows, .rows, folder)
        try SeedFiles.write(keybags(), .keybag, folder)
        try SeedFiles.write(keychains, .keychains, folder)
        try SeedFiles.write(snapshots(), .snapshots, folder)
        try SeedFiles.write(stores, .stores, folder)
    }

    static func encoding(_ encode: (inout CBORWriter) -> Void) -> [UInt8] {
        var writer = CBORWriter()
        encode(&writer)
        return writer.finishArray()
    }

    static func big(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) } }

    static let identifier = ItemIdentifier(Bytes16(repeating: 0x17))

    static let attributes: AttributeSet = {
        var attributes = AttributeSet()
        attributes[.account] = .text("J\u{FC}rgen")
        attributes[.service] = .data([0, 0xFF, 0x80])
        attributes[.creator] = .number(-5)
        attributes[.creationDate] = .date(-1.25)
        attributes[.label] = .text("")
        return attributes
    }()

    // MARK: CBOR and frames

    private static var cbor: [Seed] {
        [
            seed("number") { $0.write(UInt64.max) }, seed("negative") { $0.write(Int64.min) },
            seed("double") { $0.write(Double.pi) }, seed("nan") { $0.write(Double.nan) },
            seed("text") { $0.write("J\u{FC}rgen \u{1F511} and more than eight letters") },
            seed("bytes") { $0.write([UInt8](repeating: 0xAB, count: 300)) }, seed("null") { $0.writeNull() },
            seed("true") { $0.write(true) }, seed("identifier") { $0.write(identifier.value) },
            seed("attributes") { attributes.encode(to: &$0) },
            seed("map") {
                $0.writeMap(count: 3)
                $0.write(UInt64(1)); $0.write("one")
                $0.write(UInt64(24)); $0.write(-24)
                $0.write("key"); $0.writeArray(count: 2); $0.write(false); $0.write(0.5)
            },
            seed("sequence") { writer in
                for number in [0, 23, 24, 255, 256, 65535, 65536, 1 << 32] { writer.write(number) }
            },
            ("nested", [UInt8](repeating: 0x81, count: 15) + [0x80]), ("too-deep", [UInt8](repeating: 0x81, count: 40)),
            ("long-lie", [0x9B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
        ]
    }

    private static var frames: [Seed] {
        let two: [UInt8] = [3, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0xF6]
        let scripts: [(String, [UInt8])] = [
            ("at-once", []), ("bytewise", [UInt8](repeating: 0, count: 16)), ("interrupted", [0xF0, 0xF1, 2, 0xF0, 5]),
            ("reset", [4, 0xF2]), ("failed", [4, 0xF3]), ("truncated", [0xF4]), ("descriptor", [0xF5]),
            ("descriptors", [0xF8]), ("too-many", [0, 0xF7, 0xF6, 0xF6, 0]), ("credentials", [0xF9, 0xFA]),
        ]
        var seeds: [Seed] = scripts.map { name, script in (name, [16, UInt8(script.count)] + script + two) }
        seeds += [
            ("too-long", [1, 0, 0xFF, 0xFF, 0xFF, 0xFF, 1]), ("cut", [16, 0, 9, 0, 0, 0, 1]),
            ("larger", [127, 2, 200, 100, 0, 3, 0, 0] + [UInt8](repeating: 7, count: 768)), ("nothing", []),
        ]
        return seeds
    }

    // MARK: Dictionaries

    private static var queries: [Seed] {
        // Operation, foreign, number of pairs; then key, kind and value of each. Key 0 is the class, kind 17 a word's
        // index.
        func query(_ operation: UInt8, _ itemClass: UInt8, _ pairs: [[UInt8]]) -> [UInt8] {
            [operation, 0, UInt8(pairs.count + 1), 0, 17, itemClass] + pairs.flatMap { $0 }
        }
        var seeds: [Seed] = []
        for operation: UInt8 in 0..<4 {
            for itemClass: UInt8 in 0..<5 {
                seeds.append(("class-\(operation)-\(itemClass)", query(operation, itemClass, [])))
            }
            seeds.append(("secret-\(operation)", query(operation, 0, [[3, 4, 3, 1, 2, 3], [24, 3, 1], [25, 3, 1]])))
            seeds.append(("limit-\(operation)", query(operation, 1, [[14, 17, 6], [15, 17, 22]])))
            seeds.append(("interface-\(operation)", query(operation, 1, [[8, 17, 9], [9, 3, 1], [13, 3, 0]])))
            seeds.append(
                ("attributes-\(operation)", query(operation, 0, (35..<45).map { [$0, 0, 2, 0x61, 0x62] })))
            seeds.append(
                ("numbers-\(operation)", query(operation, 1, (40..<48).map { [$0, 1] + big(UInt64($0)) })))
            seeds.append(
                ("dates-\(operation)", query(operation, 3, (45..<52).map { [$0, 5] + big(Double($0).bitPattern) })))
        }
        seeds.append(("reference", query(1, 0, [[5, 4, 20] + Array("genp".utf8) + identifier.bytes])))
        seeds.append(("row", query(1, 0, [[6, 9] + identifier.bytes])))
        for key in ["m_ItemList", "u_ItemList"] {
            // Two references and a persistent one.
            let elements: [UInt8] = [7, 3, 18, 0, 0x17, 18, 1, 0x17, 4, 20] + Array("genp".utf8) + identifier.bytes
            seeds.append(("listed-\(key)", query(1, 0, [[FuzzedObjects.place(of: key)] + elements])))
        }
        seeds.append(("value-reference", query(1, 0, [[4, 18, 0, 0x17]])))
        seeds.append(("nested", query(1, 0, [[16, 7, 3, 8, 2, 1, 2, 3, 7, 1, 6]])))
        seeds.append(("foreign-key", [1, 0, 1, 0xFE, 1, 6]))
        seeds.append(("foreign-class", [1, 1, 2, 0, 17, 0, 24, 3, 1]))
        return seeds
    }
}
