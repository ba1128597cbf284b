import ChatelaineModel

/// What takes a passcode (`security passcode`, `security unlock`). A ``DeviceReport`` follows, which says what came of it: a wrong passcode is
/// an outcome, and no failure.
///
/// The passcode is in no message. securityd answers such a request first with whether it goes on, and then lets in what the request has
/// announced: ``parts``, a ``PasscodePart`` each, with one descriptor. It passes that on to the key custodian and does not read it.
///
/// `errSecParam` for a passcode of no accepted length, for a first one where there is one already, and for the others where there is none;
/// `errSecInteractionNotAllowed` for an unlock that was locked over; `errSecAllocate`.
package enum PasscodeCommand: Sendable, CaseIterable {
    /// Opens the keys of all classes.
    case unlock
    /// The first passcode. Classes that it protects get new keys.
    case set
    case change
    /// No passcode any more; what needs one is deleted.
    case remove
    /// New keys under the same passcode.
    case newKeys
    /// The same as ``unlock``, by who logs in: the login keychain is made where there was never one.
    case logIn

    /// What has to be sent after the answer that it goes on, in this order.
    package var parts: [PasscodePart] {
        switch self {
        case .unlock, .remove, .newKeys, .logIn: [.present]
        case .set: [.new]
        case .change: [.present, .new]
        }
    }
}

extension PasscodeCommand: PasscodeMessage {
    package typealias Reply = DeviceReport

    package static let name = "a command with a passcode"
    package static let needs = RequestNeeds.knownCaller

    package var operation: Operation {
        switch self {
        case .unlock: .unlock
        case .set: .setPasscode
        case .change: .changePasscode
        case .remove: .removePasscode
        case .newKeys: .newKeys
        case .logIn: .logIn
        }
    }

    package func encodeFields(to writer: inout CBORWriter) {}

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        guard let command = Self.allCases.first(where: { $0.operation == operation }) else { throw .unsupported }
        self = command
    }
}
