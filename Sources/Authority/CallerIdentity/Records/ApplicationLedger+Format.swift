import ChatelaineModel
import Crypto

/// The ledger's file: [generation, records, endorsement or null], the records an array of [path, kind, since, accepted or null, digest or null,
/// confirmed], ascending by path, then kind. In version 1 the array of records was all; 2 had neither endorsement nor confirmed.
extension ApplicationLedger {
    static let fileKind: StaticString = "CHTLLEDG"
    static let fileVersion: UInt32 = 3
    /// The one that was authenticated with the record key, and had no generation.
    static let firstVersion: UInt32 = 1
    /// The last without endorsements.
    static let unendorsedVersion: UInt32 = 2
    /// No list is saved that often.
    private static let highestGeneration: UInt64 = 1 << 62
    /// A record takes at most its path and 61 bytes: heads, two integers, the digest, a truth value; the endorsement 76.
    static let fileLimit = 19 + 76 + maximumRecords * (longestPath + 61)

    /// What a file holds.
    struct Content {
        var records: [ApplicationRecord] = []
        /// 0 for a file of the first version.
        var generation: UInt64 = 0
        var endorsement: Endorsement?
    }

    static func encoded(_ content: Content) -> [UInt8] {
        var writer = CBORWriter(capacity: 160 + content.records.count * 160)
        writer.writeArray(count: 3)
        writer.write(content.generation)
        encode(content.records, to: &writer)
        if let endorsement = content.endorsement { endorsement.encode(to: &writer) } else { writer.writeNull() }
        return writer.finishArray()
    }

    /// What the person endorses: SHA-256 of the records that widen access and are confirmed, as the file has them.
    static func endorsedDigest(of records: [ApplicationRecord]) -> [UInt8] {
        var writer = CBORWriter(capacity: 1024)
        encode(records.filter { $0.widensAccess && $0.isConfirmed }, to: &writer)
        return writer.withUnsafeBytes { Array(SHA256.hash(data: $0)) }
    }

    private static func encode(_ records: [ApplicationRecord], to writer: inout CBORWriter) {
        writer.writeArray(count: records.count)
        for record in records {
            writer.writeArray(count: 6)
            writer.write(record.path.text)
            writer.write(record.kind.number)
            writer.write(record.since)
            if let accepted = record.accepted { writer.write(accepted) } else { writer.writeNull() }
            if case .pinned(let digest) = record.kind { writer.write(digest.bytes) } else { writer.writeNull() }
            writer.write(record.isConfirmed)
        }
    }

    static func decoded(_ content: AuthenticatedFile.Content) throws(CBORError) -> Content {
        let result = content.bytes.withUnsafeBytes { buffer in
            Result { () throws(CBORError) in try decoded(CBORReader(buffer), version: content.version) }
        }
        return try result.get()
    }

    private static func decoded(_ start: CBORReader, version: UInt32) throws(CBORError) -> Content {
        var reader = start
        var content = Content()
        let isEndorsable = version > unendorsedVersion
        if version > firstVersion {
            try reader.readArrayHead(of: isEndorsable ? 3 : 2)
            content.generation = try reader.readUnsigned()
            guard (1...highestGeneration).contains(content.generation) else { throw .outOfRange }
        }
        for _ in 0..<(try reader.readArrayCount(limit: maximumRecords)) {
            try reader.readArrayHead(of: isEndorsable ? 6 : 5)
            let path = CanonicalPath(try reader.readText())
            let number = try reader.readInt(in: 0...2)
            let since = try reader.readInteger()
            let accepted = try reader.readNull() ? nil : try reader.readInteger()
            let digest = try reader.readNull() ? nil : ExecutableDigest(try reader.readBytes())
            guard let path, let kind = ApplicationRecord.Kind(number: number, digest: digest)
            else {
                throw .outOfRange
            }
            var record = ApplicationRecord(path: path, kind: kind, since: since, accepted: accepted)
            if isEndorsable { record.isConfirmed = try reader.readBool() }
            // Ascending order excludes a second record that would silently win over the first.
            if let last = content.records.last, !last.precedes(record) { throw .unorderedKeys }
            content.records.append(record)
        }
        if isEndorsable, try !reader.readNull() { content.endorsement = try Endorsement(from: &reader) }
        try reader.finish()
        return content
    }
}

extension ApplicationRecord.Kind {
    fileprivate var number: Int {
        switch self {
        case .pinned: 0
        case .developmentFolder: 1
        case .developmentProgram: 2
        }
    }

    fileprivate init?(number: Int, digest: ExecutableDigest?) {
        switch (number, digest) {
        case (0, let digest?): self = .pinned(digest)
        case (1, nil): self = .developmentFolder
        case (2, nil): self = .developmentProgram
        default: return nil
        }
    }
}

extension ApplicationRecord {
    /// The order of records in a list and in the file: by path, a pin before a declaration.
    func precedes(_ other: ApplicationRecord) -> Bool {
        path == other.path ? kind.isPin && !other.kind.isPin : path < other.path
    }
}

extension ApplicationRecord.Kind {
    var isPin: Bool { if case .pinned = self { true } else { false } }
}
