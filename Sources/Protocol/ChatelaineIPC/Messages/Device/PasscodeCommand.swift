import ChatelaineModel

/// Commands that need a passcode (`security passcode`, `security unlock`).
///
/// The reply is a ``DeviceReport`` with the outcome: a wrong passcode is an outcome and not a failure. How passcodes
/// are sent is at ``PasscodeMessage``.
///
/// Errors:
///
/// - `errSecParam` for a passcode of no accepted length; for ``set`` where there is a passcode, and for the other
///   commands where there is none.
/// - `errSecInteractionNotAllowed` for an unlock during which the device was locked.
/// - `errSecAllocate`.
package enum PasscodeCommand: Sendable, CaseIterable {
    /// Opens the keys of all classes.
    case unlock
    /// Sets the first passcode. The classes that it protects get new keys.
    case set
    case change
    /// Removes the passcode, and deletes the items that need one.
    case remove
    /// Makes new keys under the same passcode.
    case newKeys
    /// As ``unlock``, at the user's login: makes the login keychain where there never was one.
    case logIn

    /// The passcodes to send after the first reply, in this order.
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
