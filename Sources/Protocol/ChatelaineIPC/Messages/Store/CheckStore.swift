import ChatelaineModel

/// Asks for one step of a full verification, which begins at position 0 and goes on where the step before says.
///
/// Errors: `errSecInteractionNotAllowed` for a locked file keychain; otherwise those of ``KeychainCommand``.
package struct CheckStore: RequestMessage {
    package typealias Reply = CheckStep

    package static let name = "check"
    package static let needs = RequestNeeds.knownCaller

    package var position: UInt64
    /// The path of a file keychain; nil for the data protection keychain.
    package var keychain: String?

    package init(position: UInt64, keychain: String? = nil) {
        self.position = position
        self.keychain = keychain
    }

    package var operation: Operation { .check }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(RequestField.path, keychain)
        writer.write(RequestField.number, position)
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        keychain = try fields.readIfPresent(RequestField.path)
        position = try fields.read(RequestField.number)
    }
}
