import ChatelaineModel

/// Has the daemon remember on this connection, until its end, what a person shows and what password the program gives.
///
/// The connection is what such a context is known by: nobody is told a name for it that somebody else could use.
package struct BeginAuthentication: RequestMessage {
    package typealias Reply = NoReply

    package static let name = "the beginning of an authentication"
    package static let needs = RequestNeeds.admittedCaller

    /// As long as Apple lets a match be used again (`LATouchIDAuthenticationMaximumAllowableReuseDuration`).
    package static let longestReuse: UInt32 = 300

    /// Seconds for which a biometric that matched in another context of the same program counts in this one; 0 for none. Said again, it is another.
    package let reuse: UInt32

    package init(reuse: UInt32 = 0) { self.reuse = min(reuse, Self.longestReuse) }

    package var operation: Operation { .beginAuthentication }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.number, reuse) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        reuse = try fields.read(RequestField.number)
        guard reuse <= Self.longestReuse else { throw .outOfRange }
    }
}

/// Gives the connection's context a password of the program's, or takes it away (`LACredentialType.applicationPassword`).
///
/// It comes as a passcode does (``PasscodePart/applicationPassword``). Whether it is the right one shows when an item is opened.
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
