/// A group of programs by who made them: `teamid:` and a team, `cdhash:` and the digest of one program, `apple:`,
/// `apple-tool:`.
///
/// Others are kept as they are and let nobody in: scripts name `codesign:` and `unsigned:`, too.
package struct PartitionID: BytewiseText {
    package let text: String

    /// Programs that root alone can put where they are.
    package static let apple = PartitionID(known: "apple:")
    /// The `security` command, and with it every program of the user's.
    package static let appleTool = PartitionID(known: "apple-tool:")

    private init(known text: String) { self.text = text }

    /// Nil of a text that is empty, too long, or holds what a list could not show: a comma, or a control character.
    package init?(_ text: String) {
        guard 1...ACLLimits.partitionBytes ~= text.utf8.count, !text.unicodeScalars.contains(where: Self.isForeign)
        else { return nil }
        self.text = text
    }

    /// Signed programs of a team.
    package init(_ team: TeamIdentifier) { text = "teamid:\(team)" }

    /// One program, by its content. Apple's are digests of another kind and length.
    package init(_ digest: ExecutableDigest) { text = "cdhash:\(digest)" }

    private static func isForeign(_ scalar: Unicode.Scalar) -> Bool {
        // Nearly all of them are ASCII, and the table of categories costs more than the rest of a decision.
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F || scalar == "," }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// Whose programs may use an item, whatever its entries say besides.
package struct PartitionList: Hashable, Sendable {
    /// In the order in which they were given, each once.
    package private(set) var identifiers: [PartitionID]

    package init(_ identifiers: [PartitionID]) {
        var seen: Set<PartitionID> = []
        self.identifiers = identifiers.filter { seen.insert($0).inserted }
    }

    /// As `security set-generic-password-partition-list -S` takes it. Nothing between two commas is nothing; blanks
    /// count.
    ///
    /// - Throws: `errSecParam` for an identifier that is none, and for too many.
    package init(commaSeparated text: String) throws(KeychainError) {
        var identifiers: [PartitionID] = []
        for part in text.utf8.split(separator: UInt8(ascii: ",")) {
            guard let identifier = PartitionID(String(Substring(part))) else {
                throw KeychainError(
                    .param,
                    "a partition identifier has 1 to \(ACLLimits.partitionBytes) bytes and no control characters")
            }
            identifiers.append(identifier)
        }
        self.init(identifiers)
        guard self.identifiers.count <= ACLLimits.partitions else {
            throw KeychainError(.param, "a partition list has \(ACLLimits.partitions) identifiers at the most")
        }
    }

    package func contains(_ identifier: PartitionID) -> Bool { identifiers.contains(identifier) }

    /// The same list with one more at its end, where that is not in it.
    package func adding(_ identifier: PartitionID) -> PartitionList { PartitionList(identifiers + [identifier]) }

    /// The same list with one in the place of another.
    package func replacing(_ former: PartitionID, by new: PartitionID) -> PartitionList {
        PartitionList(identifiers.map { $0 == former ? new : $0 })
    }
}

extension PartitionList: CustomStringConvertible {
    /// As `security dump-keychain -a` prints it.
    package var description: String { identifiers.map(\.text).joined(separator: ", ") }
}

extension PartitionList: CBORValue {
    package func encode(to writer: inout CBORWriter) {
        writer.writeArray(count: identifiers.count)
        for identifier in identifiers { writer.write(identifier.text) }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var read: [PartitionID] = []
        for _ in 0..<(try reader.readArrayCount(limit: ACLLimits.partitions)) {
            guard let identifier = PartitionID(try reader.readText()) else { throw .outOfRange }
            read.append(identifier)
        }
        self.init(read)
        guard identifiers.count == read.count else { throw .unorderedKeys }
    }
}
