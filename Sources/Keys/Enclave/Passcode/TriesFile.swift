import ChatelaineMemory
import ChatelaineModel
import Sealing

/// The file that counts the tries of a passcode (`Documentation/formats/keybag.md`).
///
/// It is separate from the keybag because it is written with every try, and the keybag only with a change.
struct TriesFile: Sendable {
    static let version: UInt64 = 1
    /// In bytes: more than a full list of programs needs.
    static let maximumBytes = 4096
    private static let magic = "chatelaine passcode tries"

    private enum Field: UInt64, CBORField {
        case magic = 0
        case version = 1
        case keybag = 2
        case sequence = 3
        case bootID = 4
        case agent = 5
        case programs = 6
        case byProgram = 7
        case authentication = 8
    }

    let keybag: KeybagIdentifier
    let backend: any KeyBackend

    static func name(of store: StoreIdentifier) -> String { "\(KeybagFile.text(store)).tries" }

    func encode(_ counts: TryCounts) throws(KeychainError) -> SecretBytes {
        var writer = CBORWriter(capacity: 1024)
        // The count is written first, since the authentication covers the head of the map as well.
        writer.writeMap(count: 9)
        writer.write(Field.magic, Self.magic)
        writer.write(Field.version, Self.version)
        writer.write(Field.keybag, keybag)
        writer.write(Field.sequence, counts.sequence)
        writer.write(Field.bootID, counts.bootID)
        writer.write(Field.agent, counts.agent)
        writer.write(Field.programs, counts.programs)
        writer.writeArray(Field.byProgram, counts.byProgram)
        let digest = try authentication()
        let code = writer.withUnsafeBytes { digest.digest($0) }
        writer.write(Field.authentication, code)
        return writer.finish()
    }

    /// The counts of this keybag; nil for a malformed or foreign file.
    func decode(_ content: SecretBytes) throws(KeychainError) -> TryCounts? {
        let digest = try authentication()
        return content.withUnsafeBytes { bytes in
            do throws(CBORError) { return try decode(bytes, digest) } catch { return nil }
        }
    }

    private func decode(_ bytes: UnsafeRawBufferPointer, _ digest: KeyedDigest) throws(CBORError) -> TryCounts {
        var map = try CBORMap(CBORReader(bytes))
        let found: (magic: String, version: UInt64) = (try map.read(Field.magic), try map.read(Field.version))
        guard found == (Self.magic, Self.version) else { throw .outOfRange }
        let keybag: KeybagIdentifier = try map.read(Field.keybag)
        guard keybag == self.keybag else { throw .outOfRange }
        let sequence: UInt64 = try map.read(Field.sequence)
        var counts = TryCounts(sequence: sequence, bootID: try map.read(Field.bootID))
        counts.agent = try map.read(Field.agent)
        counts.programs = try map.read(Field.programs)
        counts.byProgram = try map.readArray(Field.byProgram, limit: TryCounts.maximumPrograms)
        let content = UnsafeRawBufferPointer(rebasing: bytes[..<map.reader.offset])
        try map.find(Field.authentication)
        let code = try map.reader.readArray(count: KeyedDigest.byteCount)
        try map.end().finish()
        guard SecretBytes(digest.digest(content)) == SecretBytes(code), counts.isConsistent else { throw .outOfRange }
        return counts
    }

    private func authentication() throws(KeychainError) -> KeyedDigest {
        KeyedDigest(try backend.derive(.triesAuthentication, for: keybag.value))
    }
}

extension TryCounts {
    /// Whether this program could have written the counts.
    fileprivate var isConsistent: Bool {
        zip(byProgram, byProgram.dropFirst()).allSatisfy {
            $0.program.array.lexicographicallyPrecedes($1.program.array)
        } && byProgram.allSatisfy { $0.count.failures > 0 }
    }
}

extension TryCount: CBORValue {
    private enum Field: UInt64, CBORField {
        case failures = 0
        case last = 1
    }

    func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.failures, failures)
            $0.write(Field.last, last)
        }
    }

    init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(failures: try map.read(Field.failures), last: try map.read(Field.last))
        reader = try map.end()
    }
}

extension ProgramTries: CBORValue {
    private enum Field: UInt64, CBORField {
        case program = 0
        case count = 1
    }

    func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.program, program)
            $0.write(Field.count, count)
        }
    }

    init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(program: try map.read(Field.program), count: try map.read(Field.count))
        reader = try map.end()
    }
}
