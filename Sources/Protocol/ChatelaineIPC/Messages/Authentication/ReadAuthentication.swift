import ChatelaineModel

/// Asks for the ways in which a person could show their presence.
package struct ReadAuthentication: RequestMessage {
    package typealias Reply = AuthenticationReport

    package static let name = "ways of authentication"
    package static let needs = RequestNeeds.knownCaller

    package init() {}

    package var operation: Operation { .authenticationReport }

    package func encodeFields(to writer: inout CBORWriter) {}

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {}
}

/// The ways in which a person could show their presence now.
package struct AuthenticationReport: Hashable, Sendable {
    package var hasPasscode = false
    package var biometry = BiometryAvailability.notAvailable
    /// nil where there is no reader.
    package var kind: BiometryKind?
    /// Differs for each program, and changes when other biometrics are enrolled; nil where none are enrolled.
    package var domainState: Bytes16?

    package init() {}
}

extension AuthenticationReport: CBORValue, ReplyBody {
    private enum Field: UInt64, CBORField {
        case hasPasscode = 0
        case biometry = 1
        case domainState = 2
        case kind = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.hasPasscode, hasPasscode)
            $0.write(Field.biometry, biometry)
            $0.write(Field.domainState, domainState)
            $0.write(Field.kind, kind)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init()
        hasPasscode = try map.read(Field.hasPasscode)
        biometry = try map.read(Field.biometry)
        domainState = try map.readIfPresent(Field.domainState)
        kind = try map.readIfPresent(Field.kind)
        reader = try map.end()
    }
}
