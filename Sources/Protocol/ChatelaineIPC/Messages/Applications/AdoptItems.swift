import ChatelaineModel

/// Moves the items that a program stored before it was signed to its identifier, or back again (`security app adopt`).
///
/// All items are moved, or none. The reply is an ``AdoptionReport``. Errors: `errSecParam` (the program is not signed),
/// `errSecItemNotFound`, `errSecDuplicateItem`, `errSecAuthFailed`, `errSecInteractionNotAllowed`.
package struct AdoptItems: RequestMessage, Equatable {
    package typealias Reply = AdoptionReport

    package static let name = "moving the items of a program"
    package static let needs = RequestNeeds.knownCaller

    package var path: String
    /// Whether the items go back from the identifier to the unsigned program.
    package var isReturn: Bool

    package init(path: String, isReturn: Bool) {
        self.path = path
        self.isReturn = isReturn
    }

    package var operation: Operation { isReturn ? .returnItems : .adoptItems }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.path, path) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        path = try fields.read(RequestField.path)
        isReturn = operation == .returnItems
    }
}

/// How many items were moved, and between which groups.
package struct AdoptionReport: Sendable, Equatable {
    package var items: UInt64
    package var former: AccessGroup
    package var group: AccessGroup

    package init(items: UInt64, former: AccessGroup, group: AccessGroup) {
        self.items = items
        self.former = former
        self.group = group
    }
}

extension AdoptionReport: CBORValue, ReplyBody {
    private enum Field: UInt64, CBORField {
        case items = 0
        case former = 1
        case group = 2
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.items, items)
            $0.write(Field.former, former)
            $0.write(Field.group, group)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            items: try map.read(Field.items), former: try map.read(Field.former), group: try map.read(Field.group))
        reader = try map.end()
    }
}
