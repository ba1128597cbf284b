import ChatelaineModel

/// Has the daemon remember on this connection what a person shows and which password the program gives.
///
/// The daemon remembers it until the connection ends. The context has no name that another process could use: the
/// connection identifies it.
package struct BeginAuthentication: RequestMessage {
    package typealias Reply = NoReply

    package static let name = "the beginning of an authentication"
    package static let needs = RequestNeeds.admittedCaller

    /// The longest reuse of a match in seconds: Apple's `LATouchIDAuthenticationMaximumAllowableReuseDuration`.
    static let longestReuse: UInt32 = 300

    /// For how many seconds a biometric match in another context of the same program counts in this one; 0 for none. A
    /// later request replaces the number.
    package let reuse: UInt32

    package init(reuse: UInt32 = 0) { self.reuse = min(reuse, Self.longestReuse) }

    package var operation: Operation { .beginAuthentication }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.number, reuse) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        reuse = try fields.read(RequestField.number)
        guard reuse <= Self.longestReuse else { throw .outOfRange }
    }
}

/// Gives the connection's context a password of the program, or takes it away (`LACredentialType.applicationPassword`).
///
/// The password is sent as a passcode is (``PasscodePart/applicationPassword``). Only opening an item shows whether it
/// is right.
package struct SetApplicationPassword: PasscodeMessage {
    package typealias Reply = NoReply

    package static let name = "a password of the program's"
    package static let needs = RequestNeeds.admittedCaller

    package let isPresent: Bool

    package init(isPresent: Bool) { self.isPresent = isPresent }

    package var operation: Operation { .setApplicationPassword }
    package var parts: [PasscodePart] { isPresent ? [.applicationPassword] : [] }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.passcode, isPresent) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        isPresent = try fields.read(RequestField.passcode)
    }
}
