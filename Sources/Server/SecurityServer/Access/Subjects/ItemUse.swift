import AgentProtocol
import ChatelaineModel
import ItemStore

/// An operation on an item of the data protection keychain.
struct ItemUse: PersonSubject {
    let operation: RowOperation
    let item: ItemIdentifier
    let text: String?

    init(_ operation: RowOperation, of item: ItemIdentifier, called text: String) {
        self.operation = operation
        self.item = item
        self.text = text
    }

    var purpose: DialogPurpose {
        switch operation {
        case .readAttributes: .readAttributes
        case .readSecret: .readSecret
        case .update: .update
        case .delete: .delete
        case .add: .add
        case .sign, .decrypt, .agree, .wrap, .unwrap: .useKey
        }
    }
}
