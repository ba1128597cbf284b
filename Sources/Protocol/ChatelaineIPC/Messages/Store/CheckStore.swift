import ChatelaineModel

/// Asks for one step of a full verification, which begins at position 0 and goes on where the step before says.
package struct CheckStore: RequestMessage {
    package typealias Reply = CheckStep

    package static let name = "check"
    package static let needs = RequestNeeds.knownCaller

    package var position: UInt64

    package init(position: UInt64) { self.position = position }

    package var operation: Operation { .check }

    package func encodeFields(to writer: inout CBORWriter) { writer.write(RequestField.number, position) }

    package init(_ operation: Operation, fields: inout CBORMap) throws(CBORError) {
        position = try fields.read(RequestField.number)
    }
}
