import ChatelaineModel

/// The kind of question that a dialog asks. The numbers are on the wire.
package enum DialogKind: UInt8, CaseIterable, Sendable {
    /// The passcode, as a proof of presence.
    case passcode = 1
    /// A new password, which is typed twice.
    case newPassword = 2
    /// Permission for what the program wants. In a terminal, which belongs to the program that asks, only the passcode
    /// gives it.
    case consent = 3
    /// An existing password.
    case password = 4
    /// A touch of the fingerprint reader. The dialog only says so and can be cancelled; another process sees the touch.
    case touch = 5
    /// What becomes of a program whose file changed: accepted everywhere, accepted this time, or refused.
    ///
    /// In a terminal it is asked only where there is a passcode, for which another dialog asks.
    case changedProgram = 6
    /// Whether a program may use an item of a file keychain, and for how long. The answer alone grants nothing: another
    /// dialog asks for the secret.
    case keychainAccess = 7
    /// The secret for a chosen answer, or for the only possible one.
    case keychainSecret = 8

    /// Dialogs that follow each other in one exchange, each for as long as a dialog may be shown.
    ///
    /// A new password has two fields, which a person may have to fill in again.
    package var mostShown: Int {
        switch self {
        case .newPassword: 4
        case .changedProgram: 2
        case .keychainAccess: 3
        case .passcode, .consent, .password, .touch, .keychainSecret: 1
        }
    }
}

/// Why the dialog is shown again. The numbers are on the wire.
package enum DialogProblem: UInt8, CaseIterable, Sendable {
    case wrong = 1
    /// The passcode was not checked, since too many before it were wrong.
    case delayed = 2
}

/// What a program wants to do with an item. The numbers are on the wire.
package enum DialogPurpose: UInt8, CaseIterable, Sendable {
    case readAttributes = 1
    case readSecret = 2
    case update = 3
    case delete = 4
    case add = 5
    /// An operation that concerns no single item.
    case other = 6
    /// To prove that the person is present.
    case authenticate = 7
    /// To read or change items that have the same access control.
    case useItems = 8
    case addItems = 9
    /// To count everywhere as the program that was at its path before.
    case replace = 10
    /// To use the keychain until the process ends, although its program changed.
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
    /// To change the settings of trust in certificates in any other way.
    case changeTrust = 18
    /// To read a file of keys that has a passphrase.
    case readFile = 19
    /// To write a file of keys under a new passphrase.
    case writeFile = 20
}

/// The recorded and the present file of a changed program, for a dialog about it.
package struct DialogChange: Hashable, Sendable {
    /// SHA-256 of the recorded file; nil where no valid record exists.
    package var former: Bytes32?
    /// SHA-256 of the file of the program that asks.
    package var digest: Bytes32
    /// When the former file was recorded, and when the present one was modified according to the file system; seconds
    /// since 1970.
    package var recorded: Int64
    package var modified: Int64

    package init(from former: Bytes32?, to digest: Bytes32, recorded: Int64, modified: Int64) {
        self.former = former
        self.digest = digest
        self.recorded = recorded
        self.modified = modified
    }
}

/// One dialog: what is asked, which program asks, and where it is shown. The agent words the sentences.
package struct Dialog: Hashable, Sendable {
    package var kind: DialogKind
    package var purpose: DialogPurpose
    /// The path of the program that asks.
    package var program: String
    /// How surely the program is known.
    package var assurance: Assurance
    /// The item, as the deciding process describes it. Programs have chosen the item's name.
    package var item: String?
    /// The reason that the program gives.
    package var reason: String?
    /// The program's title for the button that ends the dialog.
    package var cancelTitle: String?
    /// The program's title for the button for another way than a touch of the reader.
    ///
    /// Empty for the button with our own word, nil for no such button.
    package var fallbackTitle: String?
    /// How many further requests wait for a dialog.
    package var waiting: UInt32 = 0
    package var problem: DialogProblem?
    /// How many passcodes may be tried before there is a delay; nil where that is not known.
    package var triesLeft: UInt32?
    /// Seconds until the next passcode is checked.
    package var delay: UInt32 = 0
    /// How long the dialog may be shown.
    package var seconds: UInt32
    /// The terminal of the program that asks; nil where it has none.
    package var terminal: String?
    /// Whether there is a passcode, with which something can be allowed in a terminal.
    package var hasPasscode: Bool
    /// Whether a touch of the fingerprint reader also answers the dialog.
    package var hasReader = false
    /// The change of the program, in a dialog about a changed program.
    package var change: DialogChange?
    /// The name of the file keychain that the dialog is about.
    package var keychain: String?
    /// The use of an item, in a dialog about an item of a file keychain.
    package var access: DialogAccess?

    package init(
        _ kind: DialogKind, to purpose: DialogPurpose, program: String, assurance: Assurance, seconds: UInt32,
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
            $0.write(Field.assurance, UInt64(assurance.number))
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
        try map.find(Field.assurance)
        guard let assurance = Assurance(number: try map.reader.readByte()) else { throw .outOfRange }
        self.assurance = assurance
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

    /// Reads the dialog that is the whole of a frame.
    package init(frame: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(frame)
        try self.init(from: &reader)
        try reader.finish()
    }
}
