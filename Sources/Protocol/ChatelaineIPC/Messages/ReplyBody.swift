import ChatelaineModel

/// What follows the header of a reply: a sequence of values (RFC 8742).
@usableFromInline
package protocol ReplyBody {
    /// Calls `write` once for each value, so that a long reply can be sent while it is being written.
    func encode(_ write: ((inout CBORWriter) -> Void) throws -> Void) rethrows
    /// Reads all values up to the end.
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

/// A reply of any number of values.
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

/// A reply without values: the header says everything.
package struct NoReply: ReplyBody {
    package init() {}
    package init(body reader: inout CBORReader) throws(CBORError) {}
    package func encode(_ write: ((inout CBORWriter) -> Void) throws -> Void) rethrows {}
}
