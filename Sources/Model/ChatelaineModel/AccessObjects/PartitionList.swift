import ChatelaineSystem

/// A group of programs by their maker: `teamid:` and a team, `cdhash:` and the digest of one program, `apple:`, or
/// `apple-tool:`.
///
/// Other identifiers are kept and let no one in; scripts name `codesign:` and `unsigned:` too.
package struct PartitionID: BytewiseText {
    package let text: String

    /// Programs that only root can put where they are.
    package static let apple = PartitionID(known: "apple:")
    /// The `security` command, and through it every program of the user.
    package static let appleTool = PartitionID(known: "apple-tool:")

    private init(known text: String) { self.text = text }

    /// Nil for a text that is empty, too long, or has a comma or a control character, which a list could not show.
    package init?(_ text: String) {
        guard 1...ACLLimits.partitionBytes ~= text.utf8.count, !text.unicodeScalars.contains(where: Self.isForeign)
        else { return nil }
        self.text = text
    }

    /// The partition of a team's signed programs.
    package init(_ team: TeamIdentifier) { text = "teamid:\(team)" }

    /// The partition of one program, by its content. Apple's digests have another kind and length.
    package init(_ digest: ExecutableDigest) { text = "cdhash:\(digest)" }

    /// Whether the identifier is surely none of a program's here: it has a blank at an end, or is of a digest that no
    /// file can have.
    package var isOfNoProgram: Bool {
        if text.utf8.first == UInt8(ascii: " ") || text.utf8.last == UInt8(ascii: " ") { return true }
        let prefix = "cdhash:"
        guard text.utf8.starts(with: prefix.utf8) else { return false }
        let digits = text.utf8.dropFirst(prefix.utf8.count)
        let isWritten = digits.allSatisfy {
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
        }
        return !isWritten || digits.count != 2 * Bytes32.count
    }

    private static func isForeign(_ scalar: Unicode.Scalar) -> Bool {
        // Nearly all characters are ASCII, and the table of categories costs more than the rest of a decision.
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F || scalar == "," }
        return scalar.isMisleading
    }
}

/// The partitions whose programs may use an item, whatever its entries say.
package struct PartitionList: Hashable, Sendable {
    /// Each identifier once, in the order in which they were given.
    package private(set) var identifiers: [PartitionID]

    package init(_ identifiers: [PartitionID]) {
        var seen: Set<PartitionID> = []
        self.identifiers = identifiers.filter { seen.insert($0).inserted }
    }

    /// Parses the argument of `security set-generic-password-partition-list -S`. Empty parts are skipped; blanks count.
    ///
    /// - Throws: `errSecParam` for a part that is no identifier, and for too many parts.
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

    /// The list with an identifier added at its end, unless it has that already.
    package func adding(_ identifier: PartitionID) -> PartitionList { PartitionList(identifiers + [identifier]) }

    /// The list with one identifier in place of another.
    package func replacing(_ former: PartitionID, by new: PartitionID) -> PartitionList {
        PartitionList(identifiers.map { $0 == former ? new : $0 })
    }
}

extension PartitionList: CustomStringConvertible {
    /// The list as `security dump-keychain -a` prints it.
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
