import ChatelaineModel

/// What a person is to be asked. The numbers are on the wire.
package enum DialogKind: UInt8, CaseIterable, Sendable {
    /// The passcode, as a proof of presence.
    case passcode = 1
    /// A new password, typed twice.
    case newPassword = 2
    /// Whether it is allowed. In a terminal, which belongs to the program that asks, the passcode allows it and nothing else.
    case consent = 3
    /// A password that is known already.
    case password = 4
    /// A touch of the fingerprint reader. The dialog says so and can be cancelled; what is touched is seen by others.
    case touch = 5
    /// What is to become of a program whose file changed: everywhere, only this time, or refused. In a terminal it is asked where there is a passcode,
    /// which another dialog asks for.
    case changedProgram = 6
    /// Whether an item of a file keychain is given, and for how long. No answer gives it yet: what has to be typed is asked for by another dialog.
    case keychainAccess = 7
    /// What has to be typed for such an answer, or for the only one that there is.
    case keychainSecret = 8
}

/// Why the dialog comes again. The numbers are on the wire.
package enum DialogProblem: UInt8, CaseIterable, Sendable {
    case wrong = 1
    /// It was not looked at, since too many were wrong before.
    case delayed = 2
}

/// How sure it is who asks. The numbers are on the wire.
package enum DialogAssurance: UInt8, CaseIterable, Sendable {
    case kernel = 1
    case file = 2
    case shared = 3
    case degraded = 4
}

/// What a program wants to do with an item. The numbers are on the wire.
package enum DialogPurpose: UInt8, CaseIterable, Sendable {
    case readAttributes = 1
    case readSecret = 2
    case update = 3
    case delete = 4
    case add = 5
    /// Something that is about no single item.
    case other = 6
    /// To know that the person is there.
    case authenticate = 7
    /// To read or change items that have the same access control.
    case useItems = 8
    case addItems = 9
    /// To be taken for the program that stood at its path before, everywhere.
    case replace = 10
    /// To be let in until its connection ends, although it changed.
    case enterOnce = 11
    /// To use a key without seeing it.
    case useKey = 12
    case export = 13
    /// To change who may use an item.
    case changeAccess = 14
    /// To have a locked keychain opened.
    case unlock = 15
    case createKeychain = 16
    /// To have a certificate trusted.
    case trust = 17
    /// To change what is set about trust in certificates in any other way.
    case changeTrust = 18
    /// To read a file of keys, which has a passphrase.
    case readFile = 19
    /// To write one, under a new passphrase.
    case writeFile = 20
}

/// Which file stands in which one's place, for a dialog about a changed program.
package struct DialogChange: Hashable, Sendable {
    /// SHA-256 of the recorded one; nil where nobody knows one that counts.
    package var former: Bytes32?
    /// Of the one that asks.
    package var digest: Bytes32
    /// When the former was recorded, and the other one was written, as its file says; seconds since 1970.
    package var recorded: Int64
    package var modified: Int64

    package init(from former: Bytes32?, to digest: Bytes32, recorded: Int64, modified: Int64) {
        self.former = former
        self.digest = digest
        self.recorded = recorded
        self.modified = modified
    }
}

/// One dialog: what is asked, who asks and where. The agent makes sentences of it.
package struct Dialog: Hashable, Sendable {
    package var kind: DialogKind
    package var purpose: DialogPurpose
    /// The path of the program that asks.
    package var program: String
    package var assurance: DialogAssurance
    /// The item, as whoever decides describes it. Programs have chosen what it is called.
    package var item: String?
    /// What the program itself gives as its reason.
    package var reason: String?
    /// What the program calls the button that ends the dialog.
    package var cancelTitle: String?
    /// What the program calls a button for another way than a touch of the reader, empty for our own word alone; nil where there is no such
    /// button.
    package var fallbackTitle: String?
    /// Requests that wait for this one.
    package var waiting: UInt32 = 0
    package var problem: DialogProblem?
    /// Passcodes that may be tried before there is a delay; where that is known.
    package var triesLeft: UInt32?
    /// Seconds until the next passcode is looked at.
    package var delay: UInt32 = 0
    /// How long it stays.
    package var seconds: UInt32
    /// The terminal of the program that asks; nil where it has none.
    package var terminal: String?
    /// Whether there is a passcode, by which something can be allowed in a terminal.
    package var hasPasscode: Bool
    /// Whether a touch of the fingerprint reader is an answer as well.
    package var hasReader = false
    /// Of a changed program.
    package var change: DialogChange?
    /// What the file keychain is called that it is about.
    package var keychain: String?
    /// About an item of that.
    package var access: DialogAccess?

    package init(
        _ kind: DialogKind, to purpose: DialogPurpose, program: String, assurance: DialogAssurance, seconds: UInt32,
        hasPasscode: Bool
    ) {
        self.kind = kind
        self.purpose = purpose
        self.program = program
        self.assurance = assurance
        self.seconds = seconds
        self.hasPasscode = hasPasscode
    }
}

extension DialogKind: CBORValue {}
extension DialogProblem: CBORValue {}
extension DialogAssurance: CBORValue {}
extension DialogPurpose: CBORValue {}

extension DialogChange: CBORValue {
    private enum Field: UInt64, CBORField {
        case former = 0
        case digest = 1
        case recorded = 2
        case modified = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.former, former)
            $0.write(Field.digest, digest)
            $0.write(Field.recorded, recorded)
            $0.write(Field.modified, modified)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            from: try map.readIfPresent(Field.former), to: try map.read(Field.digest),
            recorded: try map.read(Field.recorded), modified: try map.read(Field.modified))
        reader = try map.end()
    }
}

extension Dialog: CBORValue {
    private enum Field: UInt64, CBORField {
        case version = 0
        case kind = 1
        case purpose = 2
        case program = 3
        case assurance = 4
        case item = 5
        case reason = 6
        case waiting = 7
        case problem = 8
        case triesLeft = 9
        case delay = 10
        case seconds = 11
        case terminal = 12
        case hasPasscode = 13
        case hasReader = 14
        case cancelTitle = 15
        case fallbackTitle = 16
        case change = 17
        case keychain = 18
        case access = 19
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.version, AgentWire.version)
            $0.write(Field.kind, kind)
            $0.write(Field.purpose, purpose)
            $0.write(Field.program, AgentWire.fitting(program))
            $0.write(Field.assurance, assurance)
            $0.write(Field.item, item.map(AgentWire.fitting))
            $0.write(Field.reason, reason.map(AgentWire.fitting))
            $0.write(Field.waiting, waiting)
            $0.write(Field.problem, problem)
            $0.write(Field.triesLeft, triesLeft)
            $0.write(Field.delay, delay)
            $0.write(Field.seconds, seconds)
            $0.write(Field.terminal, terminal)
            $0.write(Field.hasPasscode, hasPasscode)
            $0.write(Field.hasReader, hasReader)
            $0.write(Field.cancelTitle, cancelTitle.map(AgentWire.fitting))
            $0.write(Field.fallbackTitle, fallbackTitle.map(AgentWire.fitting))
            $0.write(Field.change, change)
            $0.write(Field.keychain, keychain.map(AgentWire.fitting))
            $0.write(Field.access, access)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        guard try map.read(Field.version) == AgentWire.version else { throw .outOfRange }
        kind = try map.read(Field.kind)
        purpose = try map.read(Field.purpose)
        try map.find(Field.program)
        program = try map.reader.readText(limit: AgentWire.maximumTextBytes)
        assurance = try map.read(Field.assurance)
        item = try map.has(Field.item) ? map.reader.readText(limit: AgentWire.maximumTextBytes) : nil
        reason = try map.has(Field.reason) ? map.reader.readText(limit: AgentWire.maximumTextBytes) : nil
        waiting = try map.read(Field.waiting)
        problem = try map.readIfPresent(Field.problem)
        triesLeft = try map.readIfPresent(Field.triesLeft)
        delay = try map.read(Field.delay)
        seconds = try map.read(Field.seconds)
        guard AgentWire.seconds.contains(seconds) else { throw .outOfRange }
        terminal = try map.has(Field.terminal) ? map.reader.readText(limit: AgentWire.maximumPathBytes) : nil
        hasPasscode = try map.read(Field.hasPasscode)
        hasReader = try map.read(Field.hasReader)
        cancelTitle = try map.has(Field.cancelTitle) ? map.reader.readText(limit: AgentWire.maximumTextBytes) : nil
        fallbackTitle = try map.has(Field.fallbackTitle) ? map.reader.readText(limit: AgentWire.maximumTextBytes) : nil
        change = try map.readIfPresent(Field.change)
        guard change != nil || kind != .changedProgram else { throw .outOfRange }
        keychain = try map.has(Field.keychain) ? map.reader.readText(limit: AgentWire.maximumTextBytes) : nil
        access = try map.readIfPresent(Field.access)
        guard access != nil || kind != .keychainAccess, access?.chosen != nil || kind != .keychainSecret else {
            throw .outOfRange
        }
        reader = try map.end()
    }

    /// Reads one that is all of a frame.
    package init(frame: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(frame)
        try self.init(from: &reader)
        try reader.finish()
    }
}
