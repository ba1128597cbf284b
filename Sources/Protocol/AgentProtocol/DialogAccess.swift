import ChatelaineModel

/// The secret that a use of a file keychain needs. The numbers are on the wire.
package enum DialogSecret: UInt8, CaseIterable, Sendable {
    /// The keychain's password.
    case password = 1
    /// The keychain's password or the passcode.
    case either = 2
}

/// For how long, and where, a program may use an item of a file keychain. The numbers are on the wire.
package enum DialogGrant: UInt8, CaseIterable, Sendable {
    /// For this one use.
    case once = 1
    /// From now on, for this item.
    case always = 2
    /// In place of the former program: in all items of the keychain, and with the passcode in the items of all open
    /// keychains.
    case everywhere = 3
}

/// What identifies a program: its identifier, or its file's digest; neither for an unknown program.
package struct DialogProgram: Hashable, Sendable {
    package var identifier: String?
    package var digest: Bytes32?

    package init(identifier: String? = nil, digest: Bytes32? = nil) {
        self.identifier = identifier
        self.digest = digest
    }
}

/// The further content of a dialog about an item of a file keychain.
package struct DialogAccess: Hashable, Sendable {
    package var reason: ACLQuestion.Reason
    /// The program that asks.
    package var program: DialogProgram
    /// The program that was at its path when the path was listed.
    package var former: DialogProgram?
    /// The name of the item in its own entry, which programs have chosen.
    package var words: String?
    /// The path of the parent of the program that asks; nil where it is not known.
    package var parent: String?
    package var doubts: ACLCaller.Doubts = []
    /// The answers that are offered besides *Deny*; at least the first of them.
    package var grants: [DialogGrant] = [.once]
    package var secret: DialogSecret
    /// The answer that the person chose, where the secret is asked for to carry it out.
    package var chosen: DialogGrant?

    package init(_ reason: ACLQuestion.Reason, _ program: DialogProgram, by secret: DialogSecret) {
        self.reason = reason
        self.program = program
        self.secret = secret
    }
}

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
        let reason: ACLQuestion.Reason = try map.read(Field.reason)
        program = try map.read(Field.program)
        self.reason = reason
        former = try map.readIfPresent(Field.former)
        words = try map.has(Field.words) ? map.reader.readText(limit: AgentWire.maximumTextBytes) : nil
        parent = try map.has(Field.parent) ? map.reader.readText(limit: AgentWire.maximumTextBytes) : nil
        doubts = ACLCaller.Doubts(rawValue: try map.read(Field.doubts))
        grants = try map.readArray(Field.grants, limit: DialogGrant.allCases.count)
        secret = try map.read(Field.secret)
        chosen = try map.readIfPresent(Field.chosen)
        // Each at most once and in ascending order, so that no answer is offered twice.
        guard grants.first == .once, zip(grants, grants.dropFirst()).allSatisfy({ $0.rawValue < $1.rawValue }),
            chosen.map({ grants.contains($0) }) ?? true
        else { throw .outOfRange }
        reader = try map.end()
    }
}
