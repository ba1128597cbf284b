import ChatelaineModel

/// Has a private or symmetric key made in the keychain, without any program seeing it.
///
/// The reply is the key's item; the public key is stored with it where that is wanted. Errors: those of ``AddItem``.
/// `errSecDuplicateItem` where one of the two items exists already: then neither is stored.
package struct MakeKey: ChangeMessage {
    package typealias Reply = FoundItem

    package static let name = "make key"
    package static let needs = RequestNeeds.admittedCaller

    package var identifier: RequestIdentifier
    package var pair: NewKeyPair

    package init(_ pair: NewKeyPair, identifier: RequestIdentifier = RequestIdentifier()) {
        self.identifier = identifier
        self.pair = pair
    }

    package var operation: Operation { .makeKey }
    package var work: RequestWork { .longest }
    package var mayAskPerson: Bool { pair.privateKey.authenticationUI == .allow }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(RequestField.identifier, identifier)
        writer.write(RequestField.query, pair)
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        identifier = try fields.read(RequestField.identifier)
        pair = try fields.read(RequestField.query)
    }
}
