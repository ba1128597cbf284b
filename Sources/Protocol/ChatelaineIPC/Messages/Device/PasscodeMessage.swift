import ChatelaineModel

/// A request that passcodes come with.
///
/// They are in no message. securityd answers such a request first with whether it goes on, and then lets in what the request has announced:
/// ``parts``, a ``PasscodePart`` each, with one descriptor. It passes that on to the key custodian and does not read it.
package protocol PasscodeMessage: RequestMessage {
    /// What has to be sent after the answer that it goes on, in this order. Without any the answer is the only one.
    var parts: [PasscodePart] { get }
    /// What comes by them.
    static var secret: GivenSecret { get }
}

extension PasscodeMessage {
    package static var secret: GivenSecret { .passcode }
}

/// What a passcode may be, so that nothing is sent that is refused anyway. Whoever looks at it knows the same limits.
package enum GivenSecret: Sendable {
    case passcode
    case keychainPassword

    /// What a person calls it.
    package var noun: String { self == .passcode ? "passcode" : "password" }

    package var bytes: ClosedRange<Int> {
        self == .passcode ? 1...Limits.passcodeBytes : 0...Limits.keychainPasswordBytes
    }
}

/// A command that lets somebody in, or gives protection up: where there is a passcode, it takes that.
///
/// `errSecAuthFailed` where there is one and none came, or not the right one; `errSecParam` for one where there is none;
/// `errSecInteractionNotAllowed` for some while it is locked.
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

/// What a passcode is that comes with a descriptor; the frame that has the descriptor says it. The numbers are on the wire.
package enum PasscodePart: UInt8, CaseIterable, Sendable {
    case present = 1
    case new = 2
    /// A password of the program's own.
    case applicationPassword = 3
    /// No passcode, but the file of a keychain and the folder in which it lies (``LendKeychain``).
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
