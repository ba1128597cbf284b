import ChatelaineModel

/// Why a person is asked about an item of a file keychain. The numbers are on the wire.
package enum DialogAccessReason: UInt8, CaseIterable, Sendable {
    /// The program is not among those that the item lets in unasked.
    case notListed = 1
    /// Another program stood at its path when that was listed.
    case changed = 2
    /// It is listed, and nobody can be sure that this is it.
    case uncertain = 3
    /// It is of none of the item's partitions.
    case partition = 4
}

/// What has to be typed for a use of a file keychain. The numbers are on the wire.
package enum DialogSecret: UInt8, CaseIterable, Sendable {
    /// The keychain's password.
    case password = 1
    /// That, or the passcode.
    case either = 2
}

/// How an item of a file keychain is given. The numbers are on the wire.
package enum DialogGrant: UInt8, CaseIterable, Sendable {
    /// For this one use.
    case once = 1
    /// From now on, for this item.
    case always = 2
    /// In the place of the former program: in all items of that keychain, and by the passcode in those of all that are open.
    case everywhere = 3
}

/// Why nobody can be sure of a program, whoever it seems to be. The bits are on the wire.
package struct DialogDoubts: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let inDevelopment = DialogDoubts(rawValue: 1)
    package static let traced = DialogDoubts(rawValue: 2)
    /// Others' code was loaded into it when it started.
    package static let preloaded = DialogDoubts(rawValue: 4)
    /// Whether that is so cannot be seen.
    package static let hidesItsStart = DialogDoubts(rawValue: 8)
}

/// By what a program is known: its identifier, or its file's digest. Neither of one that nobody knows.
package struct DialogProgram: Hashable, Sendable {
    package var identifier: String?
    package var digest: Bytes32?

    package init(identifier: String? = nil, digest: Bytes32? = nil) {
        self.identifier = identifier
        self.digest = digest
    }
}

/// What a dialog about an item of a file keychain says besides.
package struct DialogAccess: Hashable, Sendable {
    package var reason: DialogAccessReason
    /// Who asks.
    package var program: DialogProgram
    /// Who stood at its path when that was listed.
    package var former: DialogProgram?
    /// What the item's own entry calls it. Programs have chosen that.
    package var words: String?
    /// The path of the program that is the parent of the one that asks; where that is known.
    package var parent: String?
    package var doubts: DialogDoubts = []
    /// The answers that there are besides *Deny*, at least the first of them.
    package var grants: [DialogGrant] = [.once]
    package var secret: DialogSecret
    /// Which of them was chosen, where what was typed is to carry it out.
    package var chosen: DialogGrant?

    package init(_ reason: DialogAccessReason, _ program: DialogProgram, by secret: DialogSecret) {
        self.reason = reason
        self.program = program
        self.secret = secret
    }
}

extension DialogAccessReason: CBORValue {}
extension DialogSecret: CBORValue {}
extension DialogGrant: CBORValue {}

extension DialogProgram: CBORValue {
    private enum Field: UInt64, CBORField {
        case identifier = 0
        case digest = 1
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.identifier, identifier.map(AgentWire.fitting))
            $0.write(Field.digest, digest)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let identifier = try map.has(Field.identifier) ? map.reader.readText(limit: AgentWire.maximumTextBytes) : nil
        self.init(identifier: identifier, digest: try map.readIfPresent(Field.digest))
        reader = try map.end()
    }
}

extension DialogAccess: CBORValue {
    private enum Field: UInt64, CBORField {
        case reason = 0
        case program = 1
        case former = 2
        case words = 3
        case parent = 4
        case doubts = 5
        case grants = 6
        case secret = 7
        case chosen = 8
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.reason, reason)
            $0.write(Field.program, program)
            $0.write(Field.former, former)
            $0.write(Field.words, words.map(AgentWire.fitting))
            $0.write(Field.parent, parent.map(AgentWire.fitting))
            $0.write(Field.doubts, doubts.rawValue)
            $0.writeArray(Field.grants, grants)
            $0.write(Field.secret, secret)
            $0.write(Field.chosen, chosen)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let reason: DialogAccessReason = try map.read(Field.reason)
        program = try map.read(Field.program)
        self.reason = reason
        former = try map.readIfPresent(Field.former)
        words = try map.has(Field.words) ? map.reader.readText(limit: AgentWire.maximumTextBytes) : nil
        parent = try map.has(Field.parent) ? map.reader.readText(limit: AgentWire.maximumTextBytes) : nil
        doubts = DialogDoubts(rawValue: try map.read(Field.doubts))
        grants = try map.readArray(Field.grants, limit: DialogGrant.allCases.count)
        secret = try map.read(Field.secret)
        chosen = try map.readIfPresent(Field.chosen)
        // Each once, in their order: nothing is offered twice.
        guard grants.first == .once, zip(grants, grants.dropFirst()).allSatisfy({ $0.rawValue < $1.rawValue }),
            chosen.map({ grants.contains($0) }) ?? true
        else { throw .outOfRange }
        reader = try map.end()
    }
}
