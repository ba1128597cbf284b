import ChatelaineModel

/// Stores an item.
///
/// The reply is the item with what `item.returns` asks for. Errors: `errSecDuplicateItem`, `errSecUnimplemented`,
/// `errSecDataTooLarge`, `errSecParam`.
package struct AddItem: ChangeMessage {
    package typealias Reply = FoundItem

    package static let name = "add"
    package static let needs = RequestNeeds.admittedCaller

    package var identifier: RequestIdentifier
    package var item: NewItem

    package init(_ item: NewItem, identifier: RequestIdentifier = RequestIdentifier()) {
        self.identifier = identifier
        self.item = item
    }

    package var operation: Operation { .add }
    package var mayAskPerson: Bool { item.authenticationUI == .allow }

    package func encodeFields(to writer: inout CBORWriter) {
        writer.write(RequestField.identifier, identifier)
        writer.write(RequestField.query, item)
    }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        identifier = try fields.read(RequestField.identifier)
        item = try fields.read(RequestField.query)
    }
}

extension FoundItem: ReplyBody {}
