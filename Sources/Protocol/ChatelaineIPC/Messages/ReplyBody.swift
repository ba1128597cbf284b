import ChatelaineModel

/// What follows the header of a reply: a sequence of values (RFC 8742).
@usableFromInline
package protocol ReplyBody {
    /// Hands out the writing of each value, so that a long reply can be sent while it is being written.
    func encode(_ write: ((inout CBORWriter) -> Void) throws -> Void) rethrows
    /// Reads all values that there are.
    init(body reader: inout CBORReader) throws(CBORError)
}

extension ReplyBody where Self: CBORValue {
    @inlinable
    package func encode(_ write: ((inout CBORWriter) -> Void) throws -> Void) rethrows {
        try write { encode(to: &$0) }
    }

    @inlinable
    package init(body reader: inout CBORReader) throws(CBORError) { try self.init(from: &reader) }
}

/// Any number of values.
extension Array: ReplyBody where Element: CBORValue {
    @inlinable
    package func encode(_ write: ((inout CBORWriter) -> Void) throws -> Void) rethrows {
        for value in self { try write { value.encode(to: &$0) } }
    }

    @inlinable
    package init(body reader: inout CBORReader) throws(CBORError) {
        self.init()
        while !reader.isAtEnd { append(try Element(from: &reader)) }
    }
}

/// No value: the header says all.
package struct NoReply: ReplyBody {
    package init() {}
    package init(body reader: inout CBORReader) throws(CBORError) {}
    package func encode(_ write: ((inout CBORWriter) -> Void) throws -> Void) rethrows {}
}
