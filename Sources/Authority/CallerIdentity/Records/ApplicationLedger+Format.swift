import ChatelaineModel
import Crypto

/// The format of the ledger's file: [generation, records, teams, adoptions, changes, endorsement or null, settings of
/// trust or null].
///
/// - Records: an array of [path, kind, since, accepted or null, digest or null, confirmed], ascending by path, then
///   kind.
/// - Teams: an array of [team, key, certificate, subject, from, until, since, confirmed], ascending by team.
/// - Adoptions: an array of [path, digest, group, date], ascending by path.
/// - Changes: an array of [path, former digest, recorded, digest, date], in the order in which they were made.
/// - Settings of trust: [digest, confirmed].
///
/// Version 1 was the array of records alone. Version 2 had neither endorsement nor confirmed. Version 3 had no teams,
/// adoptions and changes, and version 4 no settings of trust.
extension ApplicationLedger {
    static let fileKind: StaticString = "CHTLLEDG"
    static let fileVersion: UInt32 = 5
    /// The version that was authenticated with the record key, and had no generation.
    static let firstVersion: UInt32 = 1
    /// The last version without endorsements.
    static let unendorsedVersion: UInt32 = 2
    /// The last version without teams.
    static let teamlessVersion: UInt32 = 3
    /// The last version without settings of trust.
    static let trustlessVersion: UInt32 = 4
    /// More often than any list is saved.
    private static let highestGeneration: UInt64 = 1 << 62
    /// The most bytes of the content.
    ///
    /// A record takes at most its path and 61 bytes: heads, two integers, the digest, a truth value. The endorsement
    /// takes 76. A team takes its certificate, its subject and 80: heads, the identifier, a digest, three integers, a
    /// truth value. An adoption takes its path, its group and 52. A change takes its path and 90: heads, two digests,
    /// two integers.
    static let fileLimit =
        22 + 76 + 40 + maximumRecords * (longestPath + 61)
        + SignatureLimits.maximumTeams * (SignatureLimits.maximumAnchorBytes + TeamRecord.longestSubject + 80)
        + 3 + AdoptionRecord.maximumCount * (longestPath + AdoptionRecord.longestGroup + 52)
        + 3 + ChangeRecord.maximumCount * (longestPath + 90)

    /// The decoded content of a file.
    struct Content {
        var records: [ApplicationRecord] = []
        var teams: [TeamRecord] = []
        var adoptions: [AdoptionRecord] = []
        var changes: [ChangeRecord] = []
        /// 0 for a file of the first version.
        var generation: UInt64 = 0
        var endorsement: Endorsement?
        var trust: TrustSettingsRecord?
    }

    static func encoded(_ content: Content) -> [UInt8] {
        var writer = CBORWriter(capacity: 160 + content.records.count * 160 + content.teams.count * 1024)
        writer.writeArray(count: 7)
        writer.write(content.generation)
        encode(content.records, to: &writer)
        encode(content.teams, to: &writer)
        encode(content.adoptions, to: &writer)
        encode(content.changes, to: &writer)
        if let endorsement = content.endorsement { endorsement.encode(to: &writer) } else { writer.writeNull() }
        if let trust = content.trust {
            writer.writeArray(count: 2)
            trust.digest.encode(to: &writer)
            writer.write(trust.isConfirmed)
        } else {
            writer.writeNull()
        }
        return writer.finishArray()
    }

    /// The digest that the person endorses: SHA-256 of the confirmed records that widen access, encoded as in the file.
    ///
    /// Confirmed teams and settings of trust follow if there are any, so that an endorsement from before they existed
    /// stays valid. Unconfirmed settings widen nothing, but settings also deny. So the digest also covers that there
    /// are settings, or that they are unknown. Otherwise somebody could remove the settings and undo their denials.
    static func endorsedDigest(of state: State) -> [UInt8] {
        var writer = CBORWriter(capacity: 1024)
        encode(state.records.filter { $0.widensAccess && $0.isConfirmed }, to: &writer)
        let teams = state.teamRecords.filter(\.isConfirmed)
        if !teams.isEmpty { encode(teams, to: &writer) }
        // Teams are an array of arrays. This array holds bytes or nothing, so the two differ.
        if let trust = state.trust {
            writer.writeArray(count: trust.isConfirmed ? 1 : 0)
            if trust.isConfirmed { trust.digest.encode(to: &writer) }
        }
        return writer.withUnsafeBytes { Array(SHA256.hash(data: $0)) }
    }

    private static func encode(_ teams: [TeamRecord], to writer: inout CBORWriter) {
        writer.writeArray(count: teams.count)
        for record in teams {
            writer.writeArray(count: 8)
            record.owner.team.encode(to: &writer)
            record.owner.anchorKey.encode(to: &writer)
            writer.write(record.certificate)
            writer.write(record.subject)
            writer.write(record.validFrom)
            writer.write(record.validUntil)
            writer.write(record.since)
            writer.write(record.isConfirmed)
        }
    }

    private static func encode(_ adoptions: [AdoptionRecord], to writer: inout CBORWriter) {
        writer.writeArray(count: adoptions.count)
        for record in adoptions {
            writer.writeArray(count: 4)
            writer.write(record.path.text)
            writer.write(record.digest.bytes)
            writer.write(record.group.text)
            writer.write(record.date)
        }
    }

    private static func encode(_ changes: [ChangeRecord], to writer: inout CBORWriter) {
        writer.writeArray(count: changes.count)
        for record in changes {
            writer.writeArray(count: 5)
            writer.write(record.path.text)
            writer.write(record.former.bytes)
            writer.write(record.recorded)
            writer.write(record.digest.bytes)
            writer.write(record.date)
        }
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
        let hasTeams = version > teamlessVersion
        let hasTrust = version > trustlessVersion
        if version > firstVersion {
            try reader.readArrayHead(of: hasTrust ? 7 : hasTeams ? 6 : isEndorsable ? 3 : 2)
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
            // Ascending order excludes a second record for the same key, which would silently replace the first.
            if let last = content.records.last, !last.precedes(record) { throw .unorderedKeys }
            content.records.append(record)
        }
        if hasTeams {
            content.teams = try teams(from: &reader)
            content.adoptions = try adoptions(from: &reader)
            content.changes = try changes(from: &reader)
        }
        if isEndorsable, try !reader.readNull() { content.endorsement = try Endorsement(from: &reader) }
        if hasTrust, try !reader.readNull() {
            try reader.readArrayHead(of: 2)
            content.trust = TrustSettingsRecord(
                digest: try Bytes32(from: &reader), isConfirmed: try reader.readBool())
        }
        try reader.finish()
        return content
    }

    private static func teams(from reader: inout CBORReader) throws(CBORError) -> [TeamRecord] {
        var teams: [TeamRecord] = []
        for _ in 0..<(try reader.readArrayCount(limit: SignatureLimits.maximumTeams)) {
            try reader.readArrayHead(of: 8)
            let owner = TeamOwner(team: try TeamIdentifier(from: &reader), anchorKey: try Bytes32(from: &reader))
            let certificate = Array(try reader.readBytes())
            let subject = try reader.readText()
            guard certificate.count <= SignatureLimits.maximumAnchorBytes,
                subject.utf8.count <= TeamRecord.longestSubject
            else { throw .limitExceeded }
            var record = TeamRecord(
                owner: owner, certificate: certificate, subject: subject, validFrom: try reader.readInteger(),
                validUntil: try reader.readInteger(), since: try reader.readInteger())
            record.isConfirmed = try reader.readBool()
            if let last = teams.last, last.owner.team >= owner.team { throw .unorderedKeys }
            teams.append(record)
        }
        return teams
    }

    private static func adoptions(from reader: inout CBORReader) throws(CBORError) -> [AdoptionRecord] {
        var adoptions: [AdoptionRecord] = []
        for _ in 0..<(try reader.readArrayCount(limit: AdoptionRecord.maximumCount)) {
            try reader.readArrayHead(of: 4)
            guard let path = CanonicalPath(try reader.readText()), let digest = ExecutableDigest(try reader.readBytes())
            else { throw .outOfRange }
            let group = try reader.readText()
            guard group.utf8.count <= AdoptionRecord.longestGroup else { throw .limitExceeded }
            let record = AdoptionRecord(
                path: path, digest: digest, group: AccessGroup(group), date: try reader.readInteger())
            if let last = adoptions.last, last.path >= path { throw .unorderedKeys }
            adoptions.append(record)
        }
        return adoptions
    }

    private static func changes(from reader: inout CBORReader) throws(CBORError) -> [ChangeRecord] {
        var changes: [ChangeRecord] = []
        for _ in 0..<(try reader.readArrayCount(limit: ChangeRecord.maximumCount)) {
            try reader.readArrayHead(of: 5)
            guard let path = CanonicalPath(try reader.readText()) else { throw .outOfRange }
            changes.append(
                ChangeRecord(
                    path: path, former: try ExecutableDigest(from: &reader), recorded: try reader.readInteger(),
                    digest: try ExecutableDigest(from: &reader), date: try reader.readInteger()))
        }
        return changes
    }
}

extension ApplicationLedger.Content {
    init(_ state: ApplicationLedger.State, generation: UInt64) {
        self.init(
            records: state.records, teams: state.teamRecords, adoptions: state.adoptionRecords, changes: state.changes,
            generation: generation, endorsement: state.endorsement, trust: state.trust)
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
