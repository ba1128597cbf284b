/// An item of a file keychain, and the access object that it gets.
package struct ItemAccess: Hashable, Sendable {
    /// The most items of a request: far more than people have in a keychain, and few enough for a short transaction.
    package static let limit = 1024

    package let item: KeychainItemReference
    package let access: AccessObject

    package init(_ access: AccessObject, of item: KeychainItemReference) {
        (self.access, self.item) = (access, item)
    }
}

extension ItemAccess: CBORValue {
    private enum Field: UInt64, CBORField {
        case item = 0
        case access = 1
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.item, item)
            $0.write(Field.access, access)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        item = try map.read(Field.item)
        access = try map.read(Field.access)
        reader = try map.end()
    }
}
