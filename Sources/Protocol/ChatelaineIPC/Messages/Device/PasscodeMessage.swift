import ChatelaineModel

/// A request that comes with passcodes.
///
/// No message contains a passcode. securityd first replies whether it goes on with the request. Then it admits what the
/// request has announced: one frame with one descriptor for each ``PasscodePart`` in ``parts``. securityd passes the
/// descriptors on to the key custodian and does not read them.
package protocol PasscodeMessage: RequestMessage {
    /// The parts to send after the first reply, in this order. Without parts, the first reply is the only one.
    var parts: [PasscodePart] { get }
    /// Which kind of secret the parts carry.
    static var secret: GivenSecret { get }
}

extension PasscodeMessage {
    package static var secret: GivenSecret { .passcode }
}

/// The kind of a secret, whose length the client checks so that it sends nothing that is refused anyway.
///
/// The receiver checks the same limits.
package enum GivenSecret: Sendable {
    case passcode
    case keychainPassword

    /// The word for the secret in messages to a person.
    package var noun: String { self == .passcode ? "passcode" : "password" }

    package var bytes: ClosedRange<Int> {
        self == .passcode ? 1...Limits.passcodeBytes : 0...Limits.keychainPasswordBytes
    }
}

/// A command that grants access or gives up protection, and so needs the passcode where there is one.
///
/// Errors:
///
/// - `errSecAuthFailed` where there is a passcode, and none or a wrong one came.
/// - `errSecParam` for a passcode where there is none.
/// - `errSecInteractionNotAllowed` for some commands while the device is locked.
package struct PasscodeProtected<Command: RequestMessage>: PasscodeMessage {
    package typealias Reply = Command.Reply

    package static var name: String { Command.name }
    package static var needs: RequestNeeds { Command.needs }

    package let command: Command
    package let hasPasscode: Bool

    package var operation: Operation { command.operation }
    package var parts: [PasscodePart] { hasPasscode ? [.present] : [] }

    package init(_ command: Command, hasPasscode: Bool) {
        self.command = command
        self.hasPasscode = hasPasscode
    }

    package func encodeFields(to writer: inout CBORWriter) {
        command.encodeFields(to: &writer)
        if hasPasscode { writer.write(RequestField.passcode, true) }
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        command = try Command(operation, fields: &fields)
        let flag: Bool? = try fields.readIfPresent(RequestField.passcode)
        guard flag != false else { throw .outOfRange }
        hasPasscode = flag == true
    }
}

/// What a descriptor carries, as the frame that brings it says. The numbers are on the wire.
package enum PasscodePart: UInt8, CaseIterable, Sendable {
    case present = 1
    case new = 2
    /// A password of the program.
    case applicationPassword = 3
    /// The file of a keychain; with ``keychainFolder``, the folder in which it lies (``LendKeychain``).
    case keychainFile = 4
    case keychainFolder = 5

    private enum Field: UInt64, CBORField {
        case part = 0
    }

    /// Writes the content of the frame.
    package func encodeFrame(to writer: inout CBORWriter) { writer.writeMap { $0.write(Field.part, self) } }

    package init(frame: UnsafeRawBufferPointer) throws(CBORError) {
        var map = try CBORMap(CBORReader(frame))
        self = try map.read(Field.part)
        try map.end().finish()
    }
}

extension PasscodePart: CBORValue {}
