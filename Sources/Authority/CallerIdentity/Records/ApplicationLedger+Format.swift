import ChatelaineModel

/// The ledger's file: [generation, records], the records an array of [path, kind, since, accepted or null, digest or null],
/// ascending by path, then kind. In version 1 the array of records was all.
extension ApplicationLedger {
    static let fileKind: StaticString = "CHTLLEDG"
    static let fileVersion: UInt32 = 2
    /// The one that was authenticated with the record key, and had no generation.
    static let firstVersion: UInt32 = 1
    /// No list is saved that often.
    private static let highestGeneration: UInt64 = 1 << 62
    /// A record takes at most its path and 60 bytes: heads, two integers, the digest.
    static let fileLimit = 19 + maximumRecords * (longestPath + 60)

    static func encoded(_ records: [ApplicationRecord], generation: UInt64) -> [UInt8] {
        var writer = CBORWriter(capacity: 64 + records.count * 160)
        writer.writeArray(count: 2)
        writer.write(generation)
        writer.writeArray(count: records.count)
        for record in records {
            writer.writeArray(count: 5)
            writer.write(record.path.text)
            writer.write(record.kind.number)
            writer.write(record.since)
            if let accepted = record.accepted { writer.write(accepted) } else { writer.writeNull() }
            if case .pinned(let digest) = record.kind { writer.write(digest.bytes) } else { writer.writeNull() }
        }
        return writer.finishArray()
    }

    /// The records, and the generation, which is 0 for a file of the first version.
    static func decoded(
        _ content: AuthenticatedFile.Content
    ) throws(CBORError) -> (records: [ApplicationRecord], generation: UInt64) {
        let result = content.bytes.withUnsafeBytes { buffer in
            Result { () throws(CBORError) in try decoded(CBORReader(buffer), version: content.version) }
        }
        return try result.get()
    }

    private static func decoded(
        _ start: CBORReader, version: UInt32
    ) throws(CBORError) -> (records: [ApplicationRecord], generation: UInt64) {
        var reader = start
        var records = [ApplicationRecord]()
        var generation: UInt64 = 0
        if version > firstVersion {
            try reader.readArrayHead(of: 2)
            generation = try reader.readUnsigned()
            guard (1...highestGeneration).contains(generation) else { throw .outOfRange }
        }
        for _ in 0..<(try reader.readArrayCount(limit: maximumRecords)) {
            try reader.readArrayHead(of: 5)
            let path = CanonicalPath(try reader.readText())
            let number = try reader.readInt(in: 0...2)
            let since = try reader.readInteger()
            let accepted = try reader.readNull() ? nil : try reader.readInteger()
            let digest = try reader.readNull() ? nil : ExecutableDigest(try reader.readBytes())
            guard let path, let kind = ApplicationRecord.Kind(number: number, digest: digest)
            else {
                throw .outOfRange
            }
            let record = ApplicationRecord(path: path, kind: kind, since: since, accepted: accepted)
            // Ascending order excludes a second record that would silently win over the first.
            if let last = records.last, !last.precedes(record) { throw .unorderedKeys }
            records.append(record)
        }
        try reader.finish()
        return (records, generation)
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
